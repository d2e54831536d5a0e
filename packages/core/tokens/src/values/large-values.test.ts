import { finish, type Work } from "@sealway/kernel"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { candidateContentKeys, isAgreed } from "../crypto/content-key.ts"
import type { SealMetadata } from "../format/encode-metadata.ts"
import { type ParsedToken, parseToken, parseTokenInSteps } from "../format/parse-token.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import { sealAsClient } from "../testing/client.ts"
import { createTestApp } from "../testing/test-app.ts"
import { openToken, openTokenInSteps } from "./open-token.ts"
import { createSealingKey } from "./sealing-key.ts"

const app = createTestApp()
const appPublicKey = app.prime256v1.publicKey
const PIECE_BYTES = 98_304
const SIZES = [
  0,
  1,
  2,
  3,
  4,
  PIECE_BYTES - 17,
  PIECE_BYTES - 1,
  PIECE_BYTES,
  PIECE_BYTES + 1,
  3 * PIECE_BYTES + 5,
]
const ROLES: readonly (SealMetadata | undefined)[] = [
  undefined,
  { role: "a", encryptedAt: 1_700_000_000 },
  { role: "pci-4", encryptedAt: 1 },
  { role: "a-role-of-20-letters", encryptedAt: 0xffff_ffff },
]

function stepsOf(work: Work<unknown>): number {
  let steps = 0
  while (work.next().done !== true) steps++
  return steps
}

function contentKeyOf(token: ParsedToken) {
  if (!isAgreed(token)) throw new Error("Not sealed to a public key")
  const secret = app[token.curve].sharedSecret(token.ephemeralPublicKey)
  const [contentKey] = candidateContentKeys(token, secret)
  if (contentKey === undefined) throw new Error("There is no content key")
  return contentKey
}

function parsed(token: Buffer): ParsedToken {
  const inSteps = finish(parseTokenInSteps(token))
  if (inSteps === null) throw new Error("It is no token")
  expect(inSteps).toEqual(parseToken(token.toString()))
  return inSteps
}

/** Opens a token in both ways and expects the same result. */
function open(token: ParsedToken) {
  if (!isAgreed(token)) throw new Error("Not sealed to a public key")
  const contentKey = contentKeyOf(token)
  const { publicKey } = app[token.curve]
  const opened = finish(openTokenInSteps(token, contentKey, publicKey))
  expect(opened).toEqual(openToken(token, contentKey, publicKey))
  return opened
}

/** Returns the result, or the name of the thrown error. */
function outcome(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error instanceof Error ? error.name : error
  }
}

describe("a large value", () => {
  test.each(SIZES)("of %d bytes is sealed in steps, and opens both in steps and at once", (size) => {
    for (const debug of [false, true]) {
      for (const metadata of ROLES) {
        const key = createSealingKey({ appPublicKey, debug })
        const plaintext = Buffer.alloc(size, "sealway ")
        const token = finish(key.sealInSteps("string", plaintext, metadata))
        expect(token.length).toBe(Buffer.byteLength(key.seal("string", plaintext, metadata)))
        const { value, role, encryptedAt } = open(parsed(token))
        expect(value.equals(plaintext)).toBe(true)
        expect({ role, encryptedAt }).toEqual(metadata ?? { role: null, encryptedAt: null })
      }
    }
  })

  test("takes one step per 96 KB", () => {
    const key = createSealingKey({ appPublicKey, debug: false })
    const plaintext = Buffer.alloc(10 * PIECE_BYTES, "7")
    expect(stepsOf(key.sealInSteps("number", plaintext))).toBe(10)
    const token = finish(key.sealInSteps("number", plaintext))
    expect(stepsOf(parseTokenInSteps(token))).toBe(11)
    const number = parsed(token)
    expect(number.type).toBe("number")
    expect(stepsOf(openTokenInSteps(number, contentKeyOf(number), appPublicKey))).toBe(10)
  })

  test("is refused when it is not a value of its type", () => {
    const key = createSealingKey({ appPublicKey, debug: false })
    expect(() => finish(key.sealInSteps("number", Buffer.from("1,2")))).toThrow(TypeError)
    expect(() => finish(key.sealInSteps("string", Buffer.of(0xff)))).toThrow(TypeError)
  })

  test("opens in steps in every version that clients seal", () => {
    const value = "x".repeat(2 * PIECE_BYTES)
    for (const version of ["Tk9D", "QkTC", "RFVC", "S0lS"] as const) {
      const { publicKey } = version === "Tk9D" || version === "QkTC" ? app.prime256v1 : app.secp256k1
      for (const debug of [false, true]) {
        const token = sealAsClient({ version, appPublicKey: publicKey, plaintext: value, debug })
        expect(open(parsed(Buffer.from(token))).value.toString()).toBe(value)
      }
    }
    const quirk = { version: "QkTC", appPublicKey, plaintext: value, debug: true } as const
    const token = sealAsClient({ ...quirk, configurationByte: 0x80 })
    expect(open(parsed(Buffer.from(token))).value.toString()).toBe(value)
  })

  test("does not open in steps when one bit is flipped", () => {
    const key = createSealingKey({ appPublicKey, debug: true })
    const token = parsed(finish(key.sealInSteps("string", Buffer.alloc(PIECE_BYTES, "a"), ROLES[1])))
    const contentKey = contentKeyOf(token)
    for (const at of [0, PIECE_BYTES - 1, PIECE_BYTES, token.ciphertext.length - 1]) {
      const ciphertext = Buffer.from(token.ciphertext)
      ciphertext[at] = (ciphertext[at] ?? 0) ^ 1
      const open = () => finish(openTokenInSteps({ ...token, ciphertext }, contentKey, appPublicKey))
      expect(open).toThrow(InvalidTokenError)
    }
  })
})

describe("a text that is read in steps", () => {
  test("is a token, data or refused, just as when it is read at once", () => {
    const key = createSealingKey({ appPublicKey, debug: false })
    const token = key.seal("string", "a".repeat(400), ROLES[1])
    const damage = fc.constantFrom("", ":", "=", "A", "-", "é", "$", "ev:")
    fc.assert(
      fc.property(fc.nat(), damage, fc.nat(3), (place, text, dropped) => {
        const at = place % (token.length + 1)
        const near = token.slice(0, at) + text + token.slice(at + dropped)
        expect(outcome(() => finish(parseTokenInSteps(Buffer.from(near))))).toEqual(
          outcome(() => parseToken(near)),
        )
      }),
      { numRuns: 1_000 },
    )
  })
})
