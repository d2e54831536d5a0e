import type { App, PublicKeyVersion } from "@sealway/platform"
import { uncompressPublicKey } from "@sealway/tokens"
import type { RuntimeInvocation } from "../runtimes/invocation.ts"

/**
 * Writes the event that a function is called with, see `RuntimeInvocation`.
 *
 * @param payload JSON, passed on byte for byte
 * @param keys the newest keys, which `context.encrypt` seals to
 */
export function invocationEvent(
  app: App,
  keys: Pick<PublicKeyVersion, "publicKeys">,
  run: { readonly functionName: string; readonly runId: string },
  payload: Uint8Array,
): Buffer {
  const point = uncompressPublicKey("prime256v1", keys.publicKeys.prime256v1)
  const context: RuntimeInvocation["context"] = {
    ...run,
    app: app.id,
    publicKey: {
      ecdhP256KeyUncompressed: point.toString("base64"),
      debug: app.environment === "sandbox",
    },
  }
  return Buffer.concat([
    Buffer.from('{"payload":'),
    payload,
    Buffer.from(`,"context":${JSON.stringify(context)}}`),
  ])
}
