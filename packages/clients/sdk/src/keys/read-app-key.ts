import { ConnectionError } from "../errors/errors.ts"
import type { ApiAnswer } from "../requests/transport.ts"
import type { AppKey } from "../sealing/sealer.ts"

/**
 * Reads what `GET /keys` and `GET /{team_id}/apps/{app_id}` answer about an app.
 *
 * @throws ConnectionError if it is something else, or about another app
 */
export function readAppKey({ content, headers }: ApiAnswer, appId: string): AppKey {
  const debug = headers.get("x-service-debug-mode")
  if (
    typeof content === "object" &&
    content !== null &&
    "appUuid" in content &&
    "ecdhP256KeyUncompressed" in content
  ) {
    const { appUuid, ecdhP256KeyUncompressed } = content
    // A cache that confuses answers must not let one customer's values be encrypted for another.
    if (appUuid !== appId)
      throw new ConnectionError("unexpected-response", "The answer is about another app.")
    // A wrong word must not turn the values of a production app into those of a sandbox app, or the reverse.
    if (typeof ecdhP256KeyUncompressed === "string" && (debug === "true" || debug === "false")) {
      return { ecdhP256KeyUncompressed, isSandbox: debug === "true" }
    }
  }
  throw new ConnectionError("unexpected-response", "The answer has no public key.")
}
