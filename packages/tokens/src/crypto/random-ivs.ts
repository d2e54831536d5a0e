import { randomBytes } from "node:crypto"
import { IV_BYTES } from "./content-cipher.ts"

/** One call for this many costs little more than one call for one, and wastes little when one is all it takes. */
const IVS_OF_FIRST_DRAW = 64
const MAX_IVS_PER_DRAW = 1024

/**
 * Random IVs for one key. Draws several at a time, because a call of the random number generator takes about as long
 * as half an encryption: the more, the more have been taken. Each is given out once: bytes are never written over, so what was given out stays as it was.
 */
export class RandomIvs {
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
