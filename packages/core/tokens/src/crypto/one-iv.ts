import type { Ivs } from "./random-ivs.ts"
import { IV_BYTES } from "./sizes.ts"

/** A chosen IV, for a key that seals one value and no more: with a second one, GCM would reveal both. */
export class OneIv implements Ivs {
  readonly #iv: Buffer
  #isUsed = false

  /** @throws TypeError when it is not 12 bytes */
  constructor(iv: Uint8Array) {
    if (iv.length !== IV_BYTES) throw new TypeError("The IV is not 12 bytes")
    this.#iv = Buffer.from(iv)
  }

  /** @throws TypeError when it was called before */
  next(): Buffer {
    if (this.#isUsed) throw new TypeError("The key has sealed its value")
    this.#isUsed = true
    return this.#iv
  }
}
