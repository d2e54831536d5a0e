/**
 * One half of each of many texts, while FF1 mixes them: as integers, from 0 to below radix^length.
 *
 * Texts are named by their position in the batch, so that no object is made for a text and a round.
 */
export interface Half {
  /** Reads the integer of a text from its numerals, the first of which is the most significant (NUM_radix). */
  load(text: number, numerals: readonly number[], from: number): void
  /** Writes the integer of a text, big-endian, in the `length` bytes that begin at `at`. */
  write(text: number, into: Uint8Array, at: number, length: number): void
  /** Adds or subtracts an integer, big-endian in the `length` bytes at `at` (a multiple of 4), modulo radix^length. */
  add(text: number, sign: 1 | -1, from: DataView, at: number, length: number): void
  /** Writes the numerals of a text (STR_radix). */
  store(text: number, numerals: number[], from: number): void
}

/** The largest radix^length whose steps are exact in doubles: a product with 2^16, and its quotient, need 53 bits. */
const LARGEST_DOUBLE = 2 ** 36

/** Prepares one half of `texts` texts: of `length` numerals from 0 to below `radix`. */
export function createHalf(texts: number, radix: number, length: number): Half {
  return radix ** length <= LARGEST_DOUBLE
    ? new DoubleHalf(texts, radix, length)
    : new BigIntHalf(radix, length)
}

class DoubleHalf implements Half {
  readonly #integers: Float64Array
  readonly #radix: number
  readonly #length: number
  readonly #modulus: number

  constructor(texts: number, radix: number, length: number) {
    this.#integers = new Float64Array(texts)
    this.#radix = radix
    this.#length = length
    this.#modulus = radix ** length
  }

  load(text: number, numerals: readonly number[], from: number): void {
    let integer = 0
    for (let at = from; at < from + this.#length; at++) integer = integer * this.#radix + (numerals[at] ?? 0)
    this.#integers[text] = integer
  }

  write(text: number, into: Uint8Array, at: number, length: number): void {
    let rest = this.#integers[text] ?? 0
    for (let byte = at + length - 1; byte >= at; byte--) {
      const next = Math.floor(rest / 256)
      into[byte] = rest - next * 256
      rest = next
    }
  }

  add(text: number, sign: 1 | -1, from: DataView, at: number, length: number): void {
    let added = 0
    for (let word = at; word < at + length; word += 2) {
      added = this.#reduce(added * 0x1_0000 + from.getUint16(word))
    }
    this.#integers[text] = this.#reduce((this.#integers[text] ?? 0) + sign * added + this.#modulus)
  }

  store(text: number, numerals: number[], from: number): void {
    let rest = this.#integers[text] ?? 0
    for (let at = from + this.#length - 1; at >= from; at--) {
      const next = Math.floor(rest / this.#radix)
      numerals[at] = rest - next * this.#radix
      rest = next
    }
  }

  /** The remainder of an integer of at most 53 bits. Division and rounding down take the same time for any, `%` does not. */
  #reduce(integer: number): number {
    return integer - Math.floor(integer / this.#modulus) * this.#modulus
  }
}

class BigIntHalf implements Half {
  readonly #integers: bigint[] = []
  readonly #radix: bigint
  readonly #length: number
  readonly #modulus: bigint

  constructor(radix: number, length: number) {
    this.#radix = BigInt(radix)
    this.#length = length
    this.#modulus = this.#radix ** BigInt(length)
  }

  load(text: number, numerals: readonly number[], from: number): void {
    let integer = 0n
    for (let at = from; at < from + this.#length; at++) {
      integer = integer * this.#radix + BigInt(numerals[at] ?? 0)
    }
    this.#integers[text] = integer
  }

  write(text: number, into: Uint8Array, at: number, length: number): void {
    let rest = this.#integers[text] ?? 0n
    for (let byte = at + length - 1; byte >= at; byte--) {
      into[byte] = Number(rest & 0xffn)
      rest >>= 8n
    }
  }

  add(text: number, sign: 1 | -1, from: DataView, at: number, length: number): void {
    let added = 0n
    for (let word = at; word < at + length; word += 4) added = (added << 32n) | BigInt(from.getUint32(word))
    const sum = (this.#integers[text] ?? 0n) + BigInt(sign) * (added % this.#modulus)
    this.#integers[text] = (sum + this.#modulus) % this.#modulus
  }

  store(text: number, numerals: number[], from: number): void {
    let rest = this.#integers[text] ?? 0n
    for (let at = from + this.#length - 1; at >= from; at--) {
      numerals[at] = Number(rest % this.#radix)
      rest /= this.#radix
    }
  }
}
