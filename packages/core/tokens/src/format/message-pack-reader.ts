import { InvalidTokenError } from "../invalid-token-error.ts"

/**
 * Reads the parts of MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md) that token metadata consists
 * of, and skips everything else. It does not recurse, allocates nothing by a declared length, and never takes more
 * steps than there are bytes. Every reading method throws InvalidTokenError when the bytes are something else.
 */
export class MessagePackReader {
  readonly #bytes: Buffer
  #offset = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get atEnd(): boolean {
    return this.#offset === this.#bytes.length
  }

  /** Reads the number of entries of a map. Its keys and values follow. */
  readMapSize(): number {
    const head = this.#uint(1)
    if (head >= 0x80 && head <= 0x8f) return head & 0x0f
    if (head === 0xde) return this.#uint(2)
    if (head === 0xdf) return this.#uint(4)
    throw new InvalidTokenError()
  }

  /** Reads the bytes of a string; null, without advancing, when the next value is not a string. */
  readString(): Buffer | null {
    const start = this.#offset
    const head = this.#uint(1)
    if (head >= 0xa0 && head <= 0xbf) return this.#take(head & 0x1f)
    if (head >= 0xd9 && head <= 0xdb) return this.#take(this.#uint(1 << (head - 0xd9)))
    this.#offset = start
    return null
  }

  /** Reads an unsigned integer of at most 32 bits. */
  readUint32(): number {
    const head = this.#uint(1)
    if (head <= 0x7f) return head
    if (head >= 0xcc && head <= 0xce) return this.#uint(1 << (head - 0xcc))
    throw new InvalidTokenError()
  }

  /** Skips one value of any type, with everything in it. */
  skip(): void {
    for (let pending = 1; pending > 0; pending--) pending += this.#skipHead()
  }

  /** Skips the head of one value and returns how many values it contains. */
  #skipHead(): number {
    const head = this.#uint(1)
    if (head <= 0x7f || head >= 0xe0) return 0
    if (head <= 0x8f) return 2 * (head & 0x0f)
    if (head <= 0x9f) return head & 0x0f
    if (head <= 0xbf) return this.#leap(head & 0x1f)
    switch (head) {
      case 0xc0: // nil
      case 0xc2: // false
      case 0xc3: // true
        return 0
      case 0xc4: // bin
      case 0xc5:
      case 0xc6:
        return this.#leap(this.#uint(1 << (head - 0xc4)))
      case 0xc7: // ext, whose type takes a byte
      case 0xc8:
      case 0xc9:
        return this.#leap(this.#uint(1 << (head - 0xc7)) + 1)
      case 0xca: // float
      case 0xcb:
        return this.#leap(4 << (head - 0xca))
      case 0xcc: // uint
      case 0xcd:
      case 0xce:
      case 0xcf:
        return this.#leap(1 << (head - 0xcc))
      case 0xd0: // int
      case 0xd1:
      case 0xd2:
      case 0xd3:
        return this.#leap(1 << (head - 0xd0))
      case 0xd4: // fixext, whose type takes a byte
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.#leap((1 << (head - 0xd4)) + 1)
      case 0xd9: // str
      case 0xda:
      case 0xdb:
        return this.#leap(this.#uint(1 << (head - 0xd9)))
      case 0xdc: // array
        return this.#uint(2)
      case 0xdd:
        return this.#uint(4)
      case 0xde: // map
        return 2 * this.#uint(2)
      case 0xdf:
        return 2 * this.#uint(4)
      default: // 0xc1 is never used
        throw new InvalidTokenError()
    }
  }

  #leap(length: number): 0 {
    this.#advance(length)
    return 0
  }

  #take(length: number): Buffer {
    const start = this.#advance(length)
    return this.#bytes.subarray(start, this.#offset)
  }

  #uint(length: number): number {
    const start = this.#advance(length)
    return this.#bytes.readUIntBE(start, length)
  }

  /** @returns the offset before it advanced */
  #advance(length: number): number {
    const start = this.#offset
    if (length > this.#bytes.length - start) throw new InvalidTokenError()
    this.#offset = start + length
    return start
  }
}
