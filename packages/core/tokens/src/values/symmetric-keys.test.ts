import { randomBytes } from "node:crypto"
import { inspect } from "node:util"
import { finish } from "@sealway/kernel"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { contentKeyId, isSymmetric } from "../crypto/content-key.ts"
import { parseFile } from "../files/open-file.ts"
import { sealFile, sealFileStream } from "../files/seal-file.ts"
import { type ParsedToken, parseToken } from "../format/parse-token.ts"
import { longestTokenOf } from "../format/token-length.ts"
import type { ValueType } from "../format/value-type.ts"
import { refusal } from "../testing/refused.ts"
import { collect, inChunks } from "../testing/streams.ts"
import { createSymmetricApp, openSymmetricBytes, openSymmetricText } from "../testing/symmetric-app.ts"
import { createTestApp, openText } from "../testing/test-app.ts"
import { openToken } from "./open-token.ts"
import { createSealingKey } from "./sealing-key.ts"
import { createSymmetricKeys } from "./symmetric-keys.ts"

const valueKey = randomBytes(32)
const app = createSymmetricApp({ valueKey })
const debugApp = createSymmetricApp({ valueKey, appPublicKey: app.appPublicKey, debug: true })
const key = app.version(1).sealingKeys.current()
const debugKey = debugApp.version(1).sealingKeys.current()
const AT = 1_795_000_000
const VERSIONS = [1]
const BOUNDARY_SIZES = [0, 1, 15, 16, 17, 65_535, 65_536]

const roles = fc.option(fc.stringMatching(/^[a-z0-9-]{1,20}$/))
const times = fc.option(fc.integer({ min: 0, max: 0xffff_ffff }))

function open(text: string, versions = VERSIONS) {
  return openSymmetricText(text, app, versions)
}

/** Yields the bytes once for every bit, with that bit flipped. */
function* withFlippedBits(bytes: Buffer): Generator<Buffer> {
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes)
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    yield flipped
  }
}

function withSegment(token: string, segment: number, bytes: Buffer): string {
  return token.split(":").with(segment, bytes.toString("base64").replace(/=+$/, "")).join(":")
}

function segmentOf(token: string, segment: number): Buffer {
  return Buffer.from(token.split(":").at(segment) ?? "", "base64")
}

describe("a symmetric token", () => {
  test("opens to the same text, role and time for any string", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), roles, times, fc.boolean(), (text, role, at, debug) => {
        const sealed = (debug ? debugKey : key).seal("string", text, { role, encryptedAt: at })
        expect(open(sealed)).toEqual({ type: "string", role, encryptedAt: at, value: Buffer.from(text) })
      }),
    )
  })

  test.each([
    ["number", "12345678901234567890.10"],
    ["number", "-0.0e-0"],
    ["boolean", "true"],
    ["boolean", "false"],
  ] as const)("opens to the same %s, digit for digit: %s", (type, literal) => {
    expect(open(key.seal(type, literal, { role: null, encryptedAt: AT }))).toMatchObject({
      type,
      value: Buffer.from(literal),
    })
  })

  test.each(BOUNDARY_SIZES)("opens when its value has %d bytes, sealed at once or in steps", (size) => {
    const text = "x".repeat(size)
    for (const role of [null, "pci"]) {
      expect(open(key.seal("string", text, { role, encryptedAt: AT }))?.value.toString()).toBe(text)
      const inSteps = finish(key.sealInSteps("string", Buffer.from(text), { role, encryptedAt: AT }))
      expect(open(inSteps.toString())).toMatchObject({ role, encryptedAt: AT, value: Buffer.from(text) })
    }
  })

  test("has neither role nor time when none is given", () => {
    expect(open(key.seal("string", "a"))).toMatchObject({ role: null, encryptedAt: null })
  })

  test("has the form of the format, with and without role, and is never longer than announced", () => {
    const role = { role: "abcdefghij-klmnopqrs", encryptedAt: AT }
    expect(key.seal("string", "a")).toMatch(/^ev:c3cx:[^:]{16}:[^:]{44}:[^:]+:\$$/)
    expect(key.seal("number", "1", role)).toMatch(/^ev:c3cx:number:[^:]{16}:[^:]{44}:[^:]+:\$$/)
    const longest = debugKey.seal("boolean", "true", role)
    expect(longest).toMatch(/^ev:debug:c3cx:boolean:[^:]{16}:[^:]{44}:[^:]+:\$$/)
    expect(longest.length).toBeLessThanOrEqual(longestTokenOf(4))
    const card = "4242424242424242"
    const lengths = [
      { role: null, encryptedAt: AT },
      { role: "pci", encryptedAt: AT },
    ].map((metadata) => key.seal("string", card, metadata).length)
    // As docs/token-format.md says.
    expect(lengths).toEqual([135, 144])
  })

  test("names its key version, from 1 to 127, and opens only with that one", () => {
    for (const version of [1, 2, 100, 127]) {
      const text = app.version(version).sealingKeys.current().seal("string", "a")
      const token = parseToken(text)
      expect(token).toMatchObject({ keyVersion: version })
      expect(open(text, [version])?.value.toString()).toBe("a")
      expect(() => open(text, [version + 1])).toThrow(refusal)
      if (token === null || !isSymmetric(token)) throw new Error("Not a symmetric token")
      expect(() => app.version(version === 1 ? 2 : 1).contentKey(token)).toThrow(refusal)
    }
  })

  test("is refused with any bit of any segment flipped", () => {
    for (const token of [
      key.seal("string", "4242", { role: "pci", encryptedAt: AT }),
      debugKey.seal("number", "42", { role: null, encryptedAt: AT }),
    ]) {
      expect(open(token)).not.toBeNull()
      for (const segment of [-4, -3, -2]) {
        for (const changed of withFlippedBits(segmentOf(token, segment))) {
          expect(() => open(withSegment(token, segment, changed), [...Array(128).keys()])).toThrow(refusal)
        }
      }
    }
  })

  test("is refused, or is data, when truncated anywhere", () => {
    const token = key.seal("string", "4242")
    for (let length = 0; length < token.length; length++) {
      expect(parseToken(token.slice(0, length))).toBeNull()
    }
    for (let end = token.lastIndexOf(":", token.length - 3) + 2; end < token.length - 2; end++) {
      expect(() => open(`${token.slice(0, end)}:$`)).toThrow(refusal)
    }
  })

  test.each(["Tk9D", "QkTC", "RFVC", "S0lS", "c3cy"])("is refused when it claims to be of %s", (version) => {
    const token = key.seal("string", "4242", { role: "pci", encryptedAt: AT }).replace("c3cx", version)
    expect(() => open(token)).toThrow(refusal)
    expect(() => openText(token, createTestApp())).toThrow(refusal)
  })

  test("is refused with its debug segment added or removed, whatever its type", () => {
    for (const [type, literal] of [
      ["string", "1"],
      ["number", "1"],
      ["boolean", "true"],
    ] as const) {
      const production = key.seal(type, literal)
      expect(() => open(production.replace("ev:", "ev:debug:"))).toThrow(refusal)
      expect(() => open(debugKey.seal(type, literal).replace("ev:debug:", "ev:"))).toThrow(refusal)
    }
  })

  test("is refused with another type marker, in a sandbox app too", () => {
    for (const [sealer, start] of [
      [key, "ev:"],
      [debugKey, "ev:debug:"],
    ] as const) {
      for (const marker of ["number", "boolean"]) {
        const token = sealer.seal("string", marker === "number" ? "1" : "true")
        expect(() => open(token.replace(`${start}c3cx:`, `${start}c3cx:${marker}:`))).toThrow(refusal)
      }
      expect(() => open(sealer.seal("number", "1").replace(":number:", ":"))).toThrow(refusal)
      expect(() => open(sealer.seal("number", "1").replace(":number:", ":boolean:"))).toThrow(refusal)
      // The marker that readers also accept for strings is the same type.
      const marked = sealer.seal("string", "a").replace("c3cx:", "c3cx:string:")
      expect(open(marked)).toMatchObject({ type: "string" })
    }
  })

  test("is refused by another app, even by one with the same value key", () => {
    const token = key.seal("string", "a")
    expect(() => openSymmetricText(token, createSymmetricApp(), VERSIONS)).toThrow(refusal)
    const parsed = parseToken(token)
    if (parsed === null || !isSymmetric(parsed)) throw new Error("Not a symmetric token")
    const contentKey = app.version(1).contentKey(parsed)
    expect(() => openToken(parsed, contentKey, createSymmetricApp().appPublicKey)).toThrow(refusal)
  })

  test("does not open with ciphertext, IV or salt of another token of the same key", () => {
    const texts = [
      key.seal("string", "1", { role: "pci", encryptedAt: AT }),
      key.seal("string", "2", { role: null, encryptedAt: AT }),
      app.version(1).sealingKeys.current().seal("string", "3"),
    ]
    for (const one of texts) {
      for (const other of texts) {
        for (const segment of [-4, -3, -2]) {
          const spliced = withSegment(one, segment, segmentOf(other, segment))
          if (spliced === one || texts.includes(spliced)) continue
          // The salt of the first two is the same.
          const isSame = segment === -3 && segmentOf(one, -3).equals(segmentOf(other, -3))
          if (!isSame) expect(() => open(spliced)).toThrow(refusal)
        }
      }
    }
  })

  test("does not open as a token to a public key whose ephemeral key is its salt, nor the other way round", () => {
    const { prime256v1 } = createTestApp()
    const agreed = createSealingKey({ appPublicKey: prime256v1.publicKey, debug: false })
    const point = segmentOf(agreed.seal("string", "a"), -3)
    expect(() => open(withSegment(key.seal("string", "a"), -3, point))).toThrow(refusal)
    const salted = withSegment(agreed.seal("string", "a"), -3, segmentOf(key.seal("string", "a"), -3))
    expect(() => parseToken(salted)).toThrow(refusal)
  })

  test("is parsed the same after any other token, of either kind", () => {
    const { prime256v1 } = createTestApp()
    const agreed = createSealingKey({ appPublicKey: prime256v1.publicKey, debug: false })
    const texts = [
      key.seal("string", "a"),
      key.seal("number", "1"),
      agreed.seal("string", "a"),
      agreed.seal("string", "b"),
    ]
    for (const before of texts) {
      for (const text of texts) expect(parseToken(text, parseToken(before))).toEqual(parseToken(text))
    }
    // A token of the other kind with the previous token's segment.
    const [symmetric = "", , publicKey = ""] = texts
    const wrong = withSegment(symmetric, -3, segmentOf(publicKey, -3))
    expect(() => parseToken(wrong, parseToken(publicKey))).toThrow(refusal)
    const wrongToo = withSegment(publicKey, -3, segmentOf(symmetric, -3))
    expect(() => parseToken(wrongToo, parseToken(symmetric))).toThrow(refusal)
  })

  test("accepts no segment of another first byte than 0x81 to 0xff", () => {
    const token = key.seal("string", "a")
    const salt = segmentOf(token, -3).subarray(1)
    for (let first = 0; first < 256; first++) {
      const text = withSegment(token, -3, Buffer.concat([Buffer.of(first), salt]))
      if (first <= 0x80) expect(() => parseToken(text)).toThrow(refusal)
      else expect(parseToken(text)).toMatchObject({ keyVersion: first - 0x80 })
    }
  })
})

describe("a symmetric file", () => {
  const keys = { key, debugKey }

  test.each(BOUNDARY_SIZES)("opens when it has %d bytes, sealed at once or as a stream", async (size) => {
    const bytes = randomBytes(size)
    for (const sealer of Object.values(keys)) {
      const whole = sealFile(bytes, sealer)
      expect(whole.length).toBe(size + 75)
      expect(openSymmetricBytes(whole, app, VERSIONS)).toEqual(bytes)
      const streamed = await collect(sealFileStream(inChunks(bytes, 1000), sealer))
      expect(openSymmetricBytes(streamed, app, VERSIONS)).toEqual(bytes)
    }
  })

  test("has the layout of version 4", () => {
    const sealed = sealFile(Buffer.from("abc"), debugKey)
    expect([...sealed.subarray(6, 10)]).toEqual([4, 55, 0, 0x81])
    expect(sealed.subarray(9, 42)).toEqual(debugKey.keySegment)
    expect(parseFile(sealed)).toMatchObject({ version: 4, keyVersion: 1, debug: true, derivation: "hkdf" })
  })

  test("is refused with any bit flipped, even with the CRC-32 made right", async () => {
    const { crc32 } = await import("node:zlib")
    const sealed = sealFile(Buffer.from("abc"), key)
    for (const changed of withFlippedBits(sealed.subarray(0, -4))) {
      const crc = Buffer.alloc(4)
      crc.writeUInt32LE(crc32(changed))
      const file = Buffer.concat([changed, crc])
      expect(() => openSymmetricBytes(file, app, [...Array(128).keys()])).toThrow(refusal)
    }
  })

  test("is refused by another app, even by one with the same value key", () => {
    const [one, other] = [createSymmetricApp({ valueKey }), createSymmetricApp({ valueKey })]
    const file = sealFile(Buffer.from("abc"), one.version(1).sealingKeys.current())
    expect(openSymmetricBytes(file, one, VERSIONS).toString()).toBe("abc")
    expect(() => openSymmetricBytes(file, other, VERSIONS)).toThrow(refusal)
  })
})

describe("the keys of a version", () => {
  const options = { keyVersion: 1, valueKey, appPublicKey: app.appPublicKey, debug: false }

  test("use a salt for 60 seconds and 2^20 values, with a different IV for each", () => {
    let nowMs = 0
    const { sealingKeys } = createSymmetricKeys({ ...options, now: () => nowMs })
    const ids = new Set<string | null>()
    const ivs = new Set<string | undefined>()
    const seal = (values = 1) => {
      const token: ParsedToken | null = parseToken(sealingKeys.current(values).seal("string", "the same"))
      ids.add(token && contentKeyId(token))
      ivs.add(token?.iv.toString("hex"))
    }
    for (let count = 0; count < 3000; count++) seal()
    nowMs = 59_999
    seal()
    expect([ids.size, ivs.size]).toEqual([1, 3001])
    nowMs = 60_000
    seal()
    expect(ids.size).toBe(2)
    seal(2 ** 20 - 1)
    expect(ids.size).toBe(2)
    seal()
    expect(ids.size).toBe(3)
  })

  test.each([0, 128, -1, 1.5, Number.NaN])("cannot be of version %d", (keyVersion) => {
    const create = () => createSymmetricKeys({ ...options, keyVersion, now: () => 0 }).sealingKeys.current()
    expect(create).toThrow(TypeError)
  })

  test("throw a TypeError for a value key that is not 32 bytes and a public key that is not 33", () => {
    for (const wrong of [{ valueKey: Buffer.alloc(31) }, { appPublicKey: Buffer.alloc(32) }]) {
      expect(() => createSymmetricKeys({ ...options, ...wrong, now: () => 0 })).toThrow(TypeError)
    }
  })

  test("are not affected when the caller's copy of the keys changes", () => {
    const ownKey = randomBytes(32)
    const appPublicKey = Buffer.from(app.appPublicKey)
    const copies = createSymmetricApp({ valueKey: Buffer.from(ownKey), appPublicKey: app.appPublicKey })
    const keys = createSymmetricKeys({ ...options, valueKey: ownKey, appPublicKey, now: () => 0 })
    ownKey.fill(0)
    appPublicKey.fill(0)
    const token = keys.sealingKeys.current().seal("string", "a")
    expect(openSymmetricText(token, copies, VERSIONS)?.value.toString()).toBe("a")
  })

  test("print no key material", () => {
    const keys = createSymmetricKeys({ ...options, now: () => 0 })
    const printed = inspect([keys, keys.sealingKeys.current()], { showHidden: true, depth: 9 })
    expect(printed).not.toMatch(/KeyObject|valueKey/)
  })

  test.each([
    ["string", "\ud800"],
    ["number", "01"],
    ["boolean", "yes"],
  ] as const satisfies readonly (readonly [ValueType, string])[])(
    "throw a TypeError for what is no %s",
    (type, text) => {
      expect(() => key.seal(type, text)).toThrow(TypeError)
    },
  )
})
