import { sealing } from "@sealway/sdk/sealing/web"
import { type Comparison, compare } from "../compare.ts"
import { createSdkSealer } from "./sealway-sdk.ts"

const P256 = { name: "ECDH", namedCurve: "P-256" }
const IV_BYTES = 12
/** A limit of WebCrypto. */
const MAX_DRAW_BYTES = 65_536

/** Compares the SDK with the bare calls of WebCrypto, on documents of these values. Runs in a browser. */
export async function compareInBrowser(values: readonly string[]): Promise<readonly Comparison[]> {
  const app = await crypto.subtle.generateKey(P256, false, ["deriveBits"])
  const appPublicKey = new Uint8Array(await crypto.subtle.exportKey("raw", app.publicKey))
  const sealer = createSdkSealer(sealing, appPublicKey, false)
  const items = values.length
  return compare(
    [
      { name: "Sealway's SDK", items, run: () => sealer.encrypt(values) },
      {
        name: "WebCrypto alone, the limit",
        items,
        run: () => encryptBare(values, appPublicKey, app.publicKey),
      },
    ],
    { rounds: 45, sliceMs: 50 },
  )
}

/** A key pair, the content key, and the values at once: no key derivation, no base64, no format, nothing is checked. */
async function encryptBare(
  values: readonly string[],
  additionalData: Uint8Array<ArrayBuffer>,
  appKey: InstanceType<typeof CryptoKey>,
): Promise<unknown> {
  const ephemeral = await crypto.subtle.generateKey(P256, false, ["deriveBits"])
  const [point, secret] = await Promise.all([
    crypto.subtle.exportKey("raw", ephemeral.publicKey),
    crypto.subtle.deriveBits({ name: "ECDH", public: appKey }, ephemeral.privateKey, 256),
  ])
  const digest = await crypto.subtle.digest("SHA-256", secret)
  const key = await crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["encrypt"])
  const encoder = new TextEncoder()
  const ivs = new Uint8Array(IV_BYTES * values.length)
  for (let at = 0; at < ivs.length; at += MAX_DRAW_BYTES) {
    crypto.getRandomValues(ivs.subarray(at, at + MAX_DRAW_BYTES))
  }
  const encrypted = values.map((value, index) => {
    const iv = ivs.subarray(index * IV_BYTES, (index + 1) * IV_BYTES)
    return crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, encoder.encode(value))
  })
  return [point, await Promise.all(encrypted)]
}
