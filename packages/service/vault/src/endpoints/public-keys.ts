import type { App } from "@sealway/accounts"
import type { PublicKeyVersion } from "@sealway/keys"
import { uncompressPublicKey } from "@sealway/tokens"
import * as z from "zod"

export const publicKeysSchema = z
  .object({
    teamUuid: z.string().describe("Id of the team"),
    appUuid: z.string().describe("Id of the app"),
    ecdhKey: z
      .string()
      .optional()
      .describe(
        "secp256k1 public key, compressed, base64: for older clients. Absent for an app with `custody: hsm`, which has keys on P-256 only",
      ),
    ecdhP256Key: z.string().describe("P-256 public key, compressed, base64"),
    ecdhP256KeyUncompressed: z.string().describe("P-256 public key, uncompressed, base64"),
  })
  .meta({ id: "PublicKeys" })

export const publicKeysHeaders = {
  "cache-control":
    "How long clients may use the keys. After a rotation, the service still opens what old keys seal",
  "x-service-debug-mode": "`true` for a sandbox app, whose tokens carry the `debug` segment; else `false`",
}

const MAX_AGE_SECONDS = 300
/** What says whose keys are asked for, when the address does not (RFC 9110, section 12.5.5). */
const CREDENTIAL_HEADERS = "authorization, api-key, cookie, x-service-app-id, x-evervault-app-id"

/**
 * Returns the public keys that new values of an app are sealed to, in the format for clients that encrypt locally.
 *
 * @param caches who may keep the answer: `private` only the caller, because it depends on credentials
 */
export function publicKeysReply(app: App, { publicKeys }: PublicKeyVersion, caches: "public" | "private") {
  return {
    body: {
      teamUuid: app.teamId,
      appUuid: app.id,
      ...(publicKeys.secp256k1 !== null && { ecdhKey: publicKeys.secp256k1.toString("base64") }),
      ecdhP256Key: publicKeys.prime256v1.toString("base64"),
      ecdhP256KeyUncompressed: uncompressPublicKey("prime256v1", publicKeys.prime256v1).toString("base64"),
    },
    headers: {
      "cache-control": `${caches}, max-age=${MAX_AGE_SECONDS}`,
      ...(caches === "private" && { vary: CREDENTIAL_HEADERS }),
      "x-service-debug-mode": String(app.environment === "sandbox"),
    },
  }
}
