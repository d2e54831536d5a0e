import { type Cipheriv, createCipheriv } from "node:crypto"
import { createHalf, type Half } from "./half.ts"

/** What FF1 permutes: a text of numerals, and the public bytes that choose the permutation among many. */
export interface Ff1Text {
  /** At least two, each from 0 to below the radix. */
  readonly numerals: readonly number[]
  readonly tweak: Uint8Array
}

/** FF1 under one key and radix. Texts of a batch share the calls of the block cipher: a batch is much faster than its texts. */
export interface Ff1 {
  /** Returns the encrypted numerals of each text, as many as it has. */
  encrypt(texts: readonly Ff1Text[]): number[][]
  /** The inverse of `encrypt`, for the same tweak. */
  decrypt(texts: readonly Ff1Text[]): number[][]
}

const BLOCK_BYTES = 16
const ROUNDS = 10

/**
 * Prepares FF1 (NIST SP 800-38G Rev. 1, algorithms 7 and 8).
 *
 * The caller sees to it that radix^length is a million or more, as the revision requires: what is permuted among fewer
 * can be found by trying. Integers of halves above 2^36 are computed as BigInt, whose time depends on their size.
 *
 * @param key an AES key of 16, 24 or 32 bytes
 * @param radix 2 to 65,536
 */
export function createFf1(key: Uint8Array, radix: number): Ff1 {
  if (!Number.isInteger(radix) || radix < 2 || radix > 65_536)
    throw new RangeError("The radix is not from 2 to 65,536")
  const aes = createCipheriv(`aes-${8 * key.length}-ecb`, key, null).setAutoPadding(false)
  return {
    encrypt: (texts) => permute(aes, radix, texts, 1),
    decrypt: (texts) => permute(aes, radix, texts, -1),
  }
}

/** Texts of equal lengths and tweaks of equal lengths take the same blocks, and go through the rounds together. */
function permute(aes: Cipheriv, radix: number, texts: readonly Ff1Text[], sign: 1 | -1): number[][] {
  const results = new Array<number[]>(texts.length)
  const places = texts.map((_text, place) => place)
  const groups = Map.groupBy(places, (place) => {
    const text = texts[place] as Ff1Text
    return text.numerals.length * 0x1_0000 + text.tweak.length
  })
  for (const group of groups.values()) {
    const permuted = permuteAlike(
      aes,
      radix,
      group.map((place) => texts[place] as Ff1Text),
      sign,
    )
    for (const [index, place] of group.entries()) results[place] = permuted[index] as number[]
  }
  return results
}

function permuteAlike(aes: Cipheriv, radix: number, texts: readonly Ff1Text[], sign: 1 | -1): number[][] {
  const [first] = texts as [Ff1Text]
  const length = first.numerals.length
  const leftLength = Math.floor(length / 2)
  const left = createHalf(texts.length, radix, leftLength)
  const right = createHalf(texts.length, radix, length - leftLength)
  texts.forEach(({ numerals }, text) => {
    left.load(text, numerals, 0)
    right.load(text, numerals, leftLength)
  })

  const round = createRound(aes, radix, texts)
  for (let step = 0; step < ROUNDS; step++) {
    const number = sign === 1 ? step : ROUNDS - 1 - step
    if (number % 2 === 0) round(number, right, left, sign)
    else round(number, left, right, sign)
  }

  return texts.map((_text, text) => {
    const numerals = new Array<number>(length).fill(0)
    left.store(text, numerals, 0)
    right.store(text, numerals, leftLength)
    return numerals
  })
}

/** Adds to one half of each text a pseudorandom integer that the other half decides. */
type Round = (number: number, from: Half, to: Half, sign: 1 | -1) => void

/**
 * Prepares the rounds of texts that are alike. The blocks before the one with the round's number are the same in every
 * round (P, and most of the tweak), so they are chained once.
 */
function createRound(aes: Cipheriv, radix: number, texts: readonly Ff1Text[]): Round {
  const [first] = texts as [Ff1Text]
  const length = first.numerals.length
  const integerBytes = bytesOf(radix, Math.ceil(length / 2))
  const addedBytes = 4 * Math.ceil(integerBytes / 4) + 4
  const bytesOfQ = roundUpToBlocks(first.tweak.length + 1 + integerBytes)
  const headBytes = bytesOfQ - roundUpToBlocks(1 + integerBytes)
  const tailBytes = bytesOfQ - headBytes

  const heads = chain(aes, startOf(aes, radix, first, texts.length), tweaksOf(texts, 0, headBytes), headBytes)
  const tails = tweaksOf(texts, headBytes, tailBytes)

  return (number, from, to, sign) => {
    for (let text = 0; text < texts.length; text++) {
      const end = (text + 1) * tailBytes
      tails[end - integerBytes - 1] = number
      from.write(text, tails, end - integerBytes, integerBytes)
    }
    const { bytes, stride } = lengthen(aes, chain(aes, heads, tails, tailBytes), addedBytes)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    for (let text = 0; text < texts.length; text++) to.add(text, sign, view, text * stride, addedBytes)
  }
}

/** The encrypted block P of each text. */
function startOf(aes: Cipheriv, radix: number, { numerals, tweak }: Ff1Text, texts: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES)
  block.set([1, 2, 1])
  block.writeUIntBE(radix, 3, 3)
  block[6] = ROUNDS
  block[7] = Math.floor(numerals.length / 2)
  block.writeUInt32BE(numerals.length, 8)
  block.writeUInt32BE(tweak.length, 12)
  return Buffer.alloc(texts * BLOCK_BYTES, aes.update(block))
}

/** Bytes `from` to `from + length` of each tweak, filled up with zeros. */
function tweaksOf(texts: readonly Ff1Text[], from: number, length: number): Buffer {
  const bytes = Buffer.alloc(texts.length * length)
  texts.forEach(({ tweak }, text) => {
    bytes.set(tweak.subarray(from, from + length), text * length)
  })
  return bytes
}

/** Goes on with a CBC-MAC of each text by `length` bytes of `data`. @param states a block of each text */
function chain(aes: Cipheriv, states: Buffer, data: Buffer, length: number): Buffer {
  let chained = states
  for (let offset = 0; offset < length; offset += BLOCK_BYTES) {
    const blocks = Buffer.allocUnsafe(states.length)
    for (let at = 0, from = offset; at < blocks.length; at += BLOCK_BYTES, from += length) {
      for (let byte = 0; byte < BLOCK_BYTES; byte++) {
        blocks[at + byte] = (chained[at + byte] ?? 0) ^ (data[from + byte] ?? 0)
      }
    }
    chained = aes.update(blocks)
  }
  return chained
}

/** Lengthens the block of each text to as many blocks as `length` bytes need: R, then the encrypted R xor 1, R xor 2 … */
function lengthen(aes: Cipheriv, blocks: Buffer, length: number): { bytes: Buffer; stride: number } {
  const stride = roundUpToBlocks(length)
  if (stride === BLOCK_BYTES) return { bytes: blocks, stride }
  const bytes = Buffer.alloc((blocks.length / BLOCK_BYTES) * stride)
  for (let block = 0; block * BLOCK_BYTES < stride; block++) {
    const counted = Buffer.from(blocks)
    for (let last = BLOCK_BYTES - 1; last < counted.length; last += BLOCK_BYTES) {
      counted[last] = (counted[last] ?? 0) ^ block
    }
    const encrypted = block === 0 ? blocks : aes.update(counted)
    for (let text = 0; text * BLOCK_BYTES < blocks.length; text++) {
      encrypted.copy(bytes, text * stride + block * BLOCK_BYTES, text * BLOCK_BYTES, (text + 1) * BLOCK_BYTES)
    }
  }
  return { bytes, stride }
}

/** The bytes that hold any integer below radix^length. */
function bytesOf(radix: number, length: number): number {
  return Math.ceil((BigInt(radix) ** BigInt(length) - 1n).toString(2).length / 8)
}

function roundUpToBlocks(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES
}
