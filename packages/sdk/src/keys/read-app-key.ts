import { ConnectionError } from "../errors/errors.ts"
import type { ApiAnswer } from "../requests/transport.ts"
import type { AppKey } from "../sealing/sealer.ts"

/**
 * Reads what `GET /keys` and `GET /{team_id}/apps/{app_id}` answer.
 *
 * @throws ConnectionError if it is something else
 */
export function readAppKey({ content, headers }: ApiAnswer): AppKey {
  const debug = headers.get("x-service-debug-mode")
  if (typeof content === "object" && content !== null && "ecdhP256KeyUncompressed" in content) {
    const { ecdhP256KeyUncompressed } = content
    // A wrong word must not turn the values of a production app into those of a sandbox app, or the reverse.
    if (typeof ecdhP256KeyUncompressed === "string" && (debug === "true" || debug === "false")) {
      return { ecdhP256KeyUncompressed, isSandbox: debug === "true" }
    }
  }
  throw new ConnectionError("unexpected-response", "The answer has no public key.")
}
