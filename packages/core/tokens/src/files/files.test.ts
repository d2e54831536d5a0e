import { crc32 } from "node:zlib"
import type { Work } from "@sealway/kernel"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { agreedContentKey } from "../crypto/agreed-content-key.ts"
import { refusal } from "../testing/refused.ts"
import { createTestApp, openBytes } from "../testing/test-app.ts"
import { vectorApp, vectors } from "../testing/vectors.ts"
import { createSealingKey } from "../values/sealing-key.ts"
import { isFile } from "./file-layout.ts"
import {
  isEncryptedFile,
  isEncryptedFileInSteps,
  openFileInSteps,
  parseFile,
  parseFileInSteps,
} from "./open-file.ts"
import { sealFile, sealFileInSteps } from "./seal-file.ts"

const app = createTestApp()
const key = createSealingKey({ appPublicKey: app.prime256v1.publicKey, debug: false })
const debugKey = createSealingKey({ appPublicKey: app.prime256v1.publicKey, debug: true })

const smallFiles = vectors.files
  .map(({ curve, fileBase64 }) => ({ curve, bytes: Buffer.from(fileBase64, "base64") }))
  .filter(({ bytes }) => bytes.length < 100)

/** Returns the file with a correct CRC. */
function withCrc(bytes: Buffer): Buffer {
  const fixed = Buffer.from(bytes)
  fixed.writeUInt32LE(crc32(fixed.subarray(0, -4)), fixed.length - 4)
  return fixed
}

function withFlippedBit(bytes: Buffer, bit: number): Buffer {
  const flipped = Buffer.from(bytes)
  flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
  return flipped
}

describe("a sealed file", () => {
  test("opens to the same bytes, whatever they are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        expect(openBytes(sealFile(bytes, key), app)).toEqual(Buffer.from(bytes))
      }),
    )
  })

  test.each([0, 1, 15, 16, 17, 262_143, 262_144, 262_145, 524_288, 1_000_000])(
    "opens when it has %d bytes",
    (size) => {
      const bytes = Buffer.alloc(size, "sealway")
      const sealed = sealFile(bytes, key)
      expect(sealed).toHaveLength(size + 75)
      expect(openBytes(sealed, app).equals(bytes)).toBe(true)
    },
  )

  test("is sealed, parsed and opened in steps, of 96 KB each", () => {
    const stepsOf = (work: Work<unknown>) => {
      let steps = 0
      while (work.next().done !== true) steps++
      return steps
    }
    const bytes = Buffer.alloc(3 * 98_304, "sealway")
    const sealed = sealFile(bytes, key)
    const file = parseFile(sealed)
    const contentKey = agreedContentKey(file, app.prime256v1)
    expect(stepsOf(sealFileInSteps(bytes, key))).toBe(2)
    // Plus the header and trailer of a sealed file.
    expect(stepsOf(parseFileInSteps(sealed))).toBe(3)
    expect(stepsOf(isEncryptedFileInSteps(sealed))).toBe(3)
    expect(stepsOf(openFileInSteps(file, contentKey, app.prime256v1.publicKey))).toBe(2)
    expect(stepsOf(sealFileInSteps(bytes.subarray(0, 98_304), key))).toBe(0)
  })

  test("has the layout of version 3", () => {
    const sealed = sealFile(Buffer.from("abc"), debugKey)
    expect(sealed.toString("latin1", 0, 6)).toBe("%EVENC")
    expect([...sealed.subarray(6, 9)]).toEqual([3, 55, 0])
    expect(sealed.subarray(9, 42)).toEqual(debugKey.keySegment)
    expect(sealed[54]).toBe(1)
    expect(sealed.readUInt32LE(sealed.length - 4)).toBe(crc32(sealed.subarray(0, -4)))
    expect(sealFile(Buffer.from("abc"), key)[54]).toBe(0)
    expect(parseFile(sealed)).toMatchObject({
      version: 3,
      curve: "prime256v1",
      derivation: "x963",
      debug: true,
    })
  })

  test("says whether it belongs to a sandbox app", () => {
    expect(parseFile(sealFile(Buffer.from("abc"), debugKey)).debug).toBe(true)
    expect(parseFile(sealFile(Buffer.from("abc"), key)).debug).toBe(false)
  })

  test("has a new IV each time", () => {
    const ivs = Array.from({ length: 200 }, () => parseFile(sealFile(Buffer.of(1), key)).iv.toString("hex"))
    expect(new Set(ivs).size).toBe(ivs.length)
  })

  test("is refused when it was sealed to another app", () => {
    expect(() => openBytes(sealFile(Buffer.from("abc"), key), createTestApp())).toThrow(refusal)
  })

  test("is read from a view into larger bytes", () => {
    const sealed = sealFile(Buffer.from("abc"), key)
    const around = new Uint8Array(sealed.length + 20)
    around.set(sealed, 10)
    expect(openBytes(around.subarray(10, 10 + sealed.length), app).toString()).toBe("abc")
  })
})

describe.each(smallFiles)("a file on $curve", ({ curve, bytes }) => {
  test("is refused with any bit flipped, because its CRC does not match", () => {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      expect(() => parseFile(withFlippedBit(bytes, bit))).toThrow(refusal)
    }
  })

  test("is refused with any bit flipped and a corrected CRC, except the debug flag, which is not authenticated", () => {
    const debugFlag = 54 * 8
    // The raw secret is only the x coordinate, which is the same for both parities.
    const parity = curve === "secp256k1" ? 9 * 8 : null
    for (let bit = 0; bit < (bytes.length - 4) * 8; bit++) {
      const changed = withCrc(withFlippedBit(bytes, bit))
      if (bit === debugFlag || bit === parity) expect(openBytes(changed, vectorApp)).toHaveLength(7)
      else expect(() => openBytes(changed, vectorApp)).toThrow(refusal)
    }
  })

  test("is refused when truncated anywhere, with a wrong CRC or a corrected one", () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(() => openBytes(bytes.subarray(0, length), vectorApp)).toThrow(refusal)
      if (length >= 4) expect(() => openBytes(withCrc(bytes.subarray(0, length)), vectorApp)).toThrow(refusal)
    }
  })

  test("is refused with trailing bytes", () => {
    expect(() => openBytes(Buffer.concat([bytes, Buffer.of(0)]), vectorApp)).toThrow(refusal)
  })

  test("is refused when it has metadata, which no version of Sealway reads", () => {
    const withMetadata = Buffer.concat([bytes.subarray(0, 55), Buffer.of(0x80), bytes.subarray(55)])
    withMetadata.writeUInt16LE(56, 7)
    expect(() => parseFile(withCrc(withMetadata))).toThrow(refusal)
  })
})

test("recognises a file by its magic bytes", () => {
  expect(isFile(sealFile(Buffer.alloc(0), key))).toBe(true)
  expect(isFile(Buffer.from("%EVENC"))).toBe(true)
  expect(isFile(Buffer.from("%EVEN"))).toBe(false)
  expect(isFile(Buffer.from("%PDF-1.7"))).toBe(false)
  expect(isFile(new Uint8Array())).toBe(false)
})

describe("bytes count as an encrypted file", () => {
  const sealed = sealFile(Buffer.alloc(0), key)

  test("when they are complete, even for an empty file", () => {
    expect(isEncryptedFile(sealed)).toBe(true)
    expect(isEncryptedFile(sealFile(Buffer.from("abc"), debugKey))).toBe(true)
  })

  test("but not when they only start like one, or are truncated", () => {
    expect(isEncryptedFile(Buffer.from("%EVENC and more"))).toBe(false)
    for (let length = 0; length < sealed.length; length++) {
      expect(isEncryptedFile(sealed.subarray(0, length))).toBe(false)
      if (length >= 4) expect(isEncryptedFile(withCrc(sealed.subarray(0, length)))).toBe(false)
    }
  })
})
