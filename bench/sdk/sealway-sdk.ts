import { createSealer, type Sealer, type SealingPlatform } from "@sealway/sdk/sealing"

const MINUTE_MS = 60_000

/**
 * Creates the SDK's encryption toward an app's key, without the call for it.
 *
 * @param keepsKey whether it uses an ephemeral key for a minute, as it does; else a new one for every document
 */
export function createSdkSealer(
  platform: SealingPlatform,
  appPublicKey: Uint8Array,
  keepsKey: boolean,
): Sealer {
  const ecdhP256KeyUncompressed = btoa(String.fromCharCode(...appPublicKey))
  let elapsedMs = 0
  return createSealer({
    platform,
    appKey: () => ({ ecdhP256KeyUncompressed, isSandbox: false }),
    ...(!keepsKey && { now: () => (elapsedMs += MINUTE_MS) }),
  })
}
