export const BLOCK_BYTES = 16

const BITS = 128
/** x^128 modulo the polynomial of GCM, in its bit order: the first 32 bits. */
const REDUCTION = 0xe100_0000

/**
 * GHASH (NIST SP 800-38D, section 6.4), in the same time for any key and data: no branch and no memory access depends
 * on them.
 */
export class Ghash {
  /** The key times x^0 to x^127, four words each. */
  readonly #multiples = new Int32Array(4 * BITS)
  readonly #hash = new Int32Array(4)

  /** @param key 16 bytes */
  constructor(key: Uint8Array) {
    const words = new DataView(key.buffer, key.byteOffset, BLOCK_BYTES)
    let [a, b, c, d] = [0, 4, 8, 12].map((at) => words.getInt32(at)) as [number, number, number, number]
    for (let at = 0; at < 4 * BITS; at += 4) {
      this.#multiples.set([a, b, c, d], at)
      const carry = -(d & 1) & REDUCTION
      d = (d >>> 1) | (c << 31)
      c = (c >>> 1) | (b << 31)
      b = (b >>> 1) | (a << 31)
      a = (a >>> 1) ^ carry
    }
  }

  /** Adds bytes. The last block is filled up with zeros, so only the last bytes of a part may be fewer than whole blocks. */
  update(bytes: Uint8Array): void {
    const whole = bytes.length - (bytes.length % BLOCK_BYTES)
    this.#updateBlocks(bytes.subarray(0, whole))
    if (whole === bytes.length) return
    const last = new Uint8Array(BLOCK_BYTES)
    last.set(bytes.subarray(whole))
    this.#updateBlocks(last)
  }

  /** Returns the hash, 16 bytes. */
  digest(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(BLOCK_BYTES)
    const words = new DataView(bytes.buffer)
    this.#hash.forEach((word, index) => {
      words.setInt32(4 * index, word)
    })
    return bytes
  }

  #updateBlocks(blocks: Uint8Array): void {
    const multiples = this.#multiples
    const hash = this.#hash
    const words = new DataView(blocks.buffer, blocks.byteOffset, blocks.length)
    for (let at = 0; at < blocks.length; at += BLOCK_BYTES) {
      let a = 0
      let b = 0
      let c = 0
      let d = 0
      let multiple = 0
      for (let word = 0; word < 4; word++) {
        const factor = (hash[word] ?? 0) ^ words.getInt32(at + 4 * word)
        for (let bit = 31; bit >= 0; bit--) {
          const mask = -((factor >>> bit) & 1)
          a ^= (multiples[multiple] ?? 0) & mask
          b ^= (multiples[multiple + 1] ?? 0) & mask
          c ^= (multiples[multiple + 2] ?? 0) & mask
          d ^= (multiples[multiple + 3] ?? 0) & mask
          multiple += 4
        }
      }
      hash[0] = a
      hash[1] = b
      hash[2] = c
      hash[3] = d
    }
  }
}
