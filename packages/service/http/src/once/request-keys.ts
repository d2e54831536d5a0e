import { createHmac, createSecretKey, type Hmac, hkdfSync } from "node:crypto"

/** What protects what is stored of the requests of one caller. */
export interface RequestKeys {
  /** Seals answers. */
  readonly sealingKey: Buffer
  /** Returns the seed of what a request draws. */
  seed(nonce: Uint8Array): Buffer
  /** Begins the MAC of an `Idempotency-Key`, or of a request. */
  startMac(purpose: "id" | "request"): Hmac
}

/**
 * Derives keys from a caller's credentials. The service stores only a hash of these, so that who reads the table can open
 * nothing.
 */
export function deriveRequestKeys(secret: string): RequestKeys {
  const derived = Buffer.from(hkdfSync("sha256", secret, "", "sealway/v1/idempotency", 96))
  const macKey = createSecretKey(derived.subarray(0, 32))
  const sealingKey = derived.subarray(32, 64)
  const seedKey = createSecretKey(derived.subarray(64))
  return {
    sealingKey,
    seed: (nonce) => createHmac("sha256", seedKey).update(nonce).digest(),
    startMac: (purpose) => createHmac("sha256", macKey).update(`${purpose}\0`),
  }
}
