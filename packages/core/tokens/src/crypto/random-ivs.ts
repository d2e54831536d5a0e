import { randomBytes } from "node:crypto"
import { IV_BYTES } from "./sizes.ts"

/** One draw of this many IVs costs little more than a draw of one, and wastes little when only one is needed. */
const IVS_OF_FIRST_DRAW = 64
const MAX_IVS_PER_DRAW = 1024

/** The IVs of one key, none of them twice. */
export interface Ivs {
  /** Returns 12 bytes. */
  next(): Buffer
}

/**
 * Random IVs for one key. Draws several at a time, because one call of the random number generator takes about as long
 * as half an encryption, and draws more the more have been used. Each IV is handed out once, and its bytes are never
 * overwritten.
 */
export class RandomIvs implements Ivs {
  #drawn = Buffer.alloc(0)
  #offset = 0
  #ivsOfNextDraw = IVS_OF_FIRST_DRAW

  next(): Buffer {
    if (this.#offset === this.#drawn.length) {
      this.#drawn = randomBytes(this.#ivsOfNextDraw * IV_BYTES)
      this.#ivsOfNextDraw = Math.min(2 * this.#ivsOfNextDraw, MAX_IVS_PER_DRAW)
      this.#offset = 0
    }
    const start = this.#offset
    this.#offset += IV_BYTES
    return this.#drawn.subarray(start, this.#offset)
  }
}
