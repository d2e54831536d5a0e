import { randomBytes } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import streaming from "../../vectors/streaming.json" with { type: "json" }
import { agreedContentKey } from "../crypto/agreed-content-key.ts"
import { type ContentKey, isSymmetric, type SealedContent } from "../crypto/content-key.ts"
import { uncompressPublicKey } from "../crypto/curve.ts"
import { InvalidTokenError } from "../invalid-token-error.ts"
import { refusal } from "../testing/refused.ts"
import { collect, inChunks } from "../testing/streams.ts"
import { createSymmetricApp, symmetricVectorApp } from "../testing/symmetric-app.ts"
import { createTestApp } from "../testing/test-app.ts"
import { vectorApp } from "../testing/vectors.ts"
import { importStreamKey, openPart, sealChunks, sealedRangeFor } from "./chunks.ts"
import { DamagedFileError } from "./damaged-file-error.ts"
import { readStreamHeader } from "./read-stream-header.ts"
import { startStream } from "./start-stream.ts"
import { startSymmetricStream } from "./start-symmetric-stream.ts"
import { streamHeaderBytes } from "./stream-header.ts"
import { deriveStreamKey } from "./stream-key.ts"
import { chunkNonce, chunksOf, plaintextBytesOf, type Range, sealedBytesOf } from "./stream-layout.ts"

const damaged = expect.objectContaining({ name: "DamagedFileError" })
const app = createTestApp().prime256v1
const CHUNK = 64

interface Keys {
  readonly contentKey: (sealed: SealedContent) => ContentKey
  readonly appPublicKey: Uint8Array
}

const KEYS: Readonly<Record<string, Keys>> = {
  agreed: {
    contentKey: (sealed) => agreedContentKey(sealed, vectorApp.prime256v1),
    appPublicKey: vectorApp.prime256v1.publicKey,
  },
  symmetric: {
    contentKey(sealed) {
      if (!isSymmetric(sealed)) throw new Error("The vector is not symmetric")
      // The app of the vectors has one key version.
      if (sealed.keyVersion !== 1) throw new InvalidTokenError()
      return symmetricVectorApp.version(1).contentKey(sealed)
    },
    appPublicKey: symmetricVectorApp.appPublicKey,
  },
  own: { contentKey: (sealed) => agreedContentKey(sealed, app), appPublicKey: app.publicKey },
}

/** Opens a whole file, or a part of its content. */
async function open(file: Buffer, keysName: string, part?: Range, pieceBytes = 100) {
  const keys = KEYS[keysName]
  if (keys === undefined) throw new Error("No such keys")
  const header = readStreamHeader(file)
  const key = deriveStreamKey(header, keys.contentKey(header), keys.appPublicKey)
  const headerBytes = header.bytes.length
  const plaintextBytes = plaintextBytesOf(file.length, { ...header, headerBytes })
  if (plaintextBytes === null) throw new DamagedFileError()
  const layout = { headerBytes, chunkBytes: header.chunkBytes, plaintextBytes }
  const wanted = part ?? { start: 0, end: plaintextBytes }
  const { start, end } = sealedRangeFor(layout, wanted)
  const sealed = inChunks(file.subarray(start, end), pieceBytes)
  const bytes = await collect(openPart(await importStreamKey(key), layout, wanted, sealed))
  return { header, key, bytes }
}

/** Seals as clients do, in parts of some chunks. */
async function seal(content: Buffer, role: string | null = "pci", chunksPerPart = 3, chunkBytes = CHUNK) {
  const appPublicKey = uncompressPublicKey("prime256v1", app.publicKey)
  const fields = { appPublicKey, debug: false, role, chunkBytes, encryptedAt: 1_795_000_000 }
  const { header, key } = await startStream(fields)
  const layout = { headerBytes: header.length, chunkBytes, plaintextBytes: content.length }
  const streamKey = await importStreamKey(key)
  const parts: Uint8Array[] = [header]
  for (let first = 0; first < chunksOf(layout); first += chunksPerPart) {
    const plaintext = Uint8Array.from(
      content.subarray(first * chunkBytes, (first + chunksPerPart) * chunkBytes),
    )
    parts.push(await sealChunks(streamKey, { layout, first, plaintext }))
  }
  return { file: Buffer.concat(parts), layout, streamKey }
}

describe("streaming vectors", () => {
  test.each(streaming.files)("open to content, role, time and key: $name", async (vector) => {
    const file = Buffer.from(vector.fileBase64, "base64")
    const { header, key, bytes } = await open(file, vector.keys)
    const { role, encryptedAt, debug, chunkBytes, headerBytes, plaintextBytes } = vector
    expect(header).toMatchObject({ role, encryptedAt, debug, chunkBytes })
    expect({ key: key.toString("hex"), salt: header.salt.toString("hex") }).toEqual({
      key: vector.fileKey,
      salt: vector.salt,
    })
    expect([header.bytes.length, bytes.length]).toEqual([headerBytes, plaintextBytes])
    const longest = await open(Buffer.from(streaming.files[7]?.fileBase64 ?? "", "base64"), "agreed")
    expect(bytes.equals(longest.bytes.subarray(0, bytes.length))).toBe(true)
  })

  test.each(Object.entries(streaming.refused))("are refused when %s", async (_, { keys, fileBase64 }) => {
    const opening = open(Buffer.from(fileBase64, "base64"), keys)
    await expect(opening).rejects.toSatisfy(
      (error) => error instanceof InvalidTokenError || error instanceof DamagedFileError,
    )
  })
})

describe("a streaming file", () => {
  test.each([0, 1, 63, 64, 65, 127, 128, 129, 191, 192, 193, 1000])(
    "of %d bytes opens to the same bytes, whatever the pieces it is read in",
    async (size) => {
      const content = randomBytes(size)
      const { file, layout } = await seal(content)
      expect(file.length).toBe(sealedBytesOf(layout))
      for (const pieceBytes of [1, 79, 80, 81, 5000]) {
        expect((await open(file, "own", undefined, pieceBytes)).bytes.equals(content)).toBe(true)
      }
    },
  )

  test("opens in any range to the same bytes of the content", async () => {
    const content = randomBytes(5 * CHUNK + 10)
    const { file } = await seal(content)
    const edges = fc.integer({ min: 0, max: content.length })
    await fc.assert(
      fc.asyncProperty(edges, edges, async (one, other) => {
        const part = { start: Math.min(one, other), end: Math.max(one, other) }
        const { bytes } = await open(file, "own", part)
        expect(bytes.equals(content.subarray(part.start, part.end))).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  test("is refused, or opens to nothing wrong, when any byte of it is changed", async () => {
    const content = randomBytes(2 * CHUNK + 10)
    const { file } = await seal(content)
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: file.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, difference) => {
          const changed = Buffer.from(file)
          changed[at] = (changed[at] ?? 0) ^ difference
          await expect(open(changed, "own")).rejects.toThrow()
        },
      ),
      { numRuns: 100 },
    )
  })

  test("releases no chunk from the damaged one on", async () => {
    const content = randomBytes(3 * CHUNK)
    const { file, layout, streamKey } = await seal(content)
    file[layout.headerBytes + CHUNK + 16] = (file[layout.headerBytes + CHUNK + 16] ?? 0) ^ 1
    const released: Uint8Array[] = []
    const part = { start: 0, end: content.length }
    const reading = async () => {
      const sealed = inChunks(file.subarray(layout.headerBytes), 7)
      for await (const piece of openPart(streamKey, layout, part, sealed)) released.push(piece)
    }
    await expect(reading()).rejects.toThrow(damaged)
    expect(Buffer.concat(released).equals(content.subarray(0, CHUNK))).toBe(true)
  })

  test("is refused in a range whose bytes end early or continue", async () => {
    const content = randomBytes(4 * CHUNK)
    const { file, layout, streamKey } = await seal(content)
    const part = { start: CHUNK, end: 2 * CHUNK }
    const { start, end } = sealedRangeFor(layout, part)
    for (const [from, to] of [
      [start, end - 1],
      [start, start],
      [start, end + 1],
      [start, end + CHUNK + 16],
      [start - CHUNK - 16, end - CHUNK - 16],
    ]) {
      const opening = collect(openPart(streamKey, layout, part, inChunks(file.subarray(from, to), 1000)))
      await expect(opening).rejects.toThrow(damaged)
    }
  })

  test("is refused when it claims to be shorter or longer than it is", async () => {
    const content = randomBytes(3 * CHUNK)
    const { file, layout, streamKey } = await seal(content)
    for (const plaintextBytes of [CHUNK, 2 * CHUNK, 4 * CHUNK, 3 * CHUNK - 1]) {
      const lie = { ...layout, plaintextBytes }
      const part = { start: 0, end: plaintextBytes }
      const { start, end } = sealedRangeFor(lie, part)
      await expect(
        collect(openPart(streamKey, lie, part, inChunks(file.subarray(start, end), 90))),
      ).rejects.toThrow(damaged)
    }
  })

  test("does not open with another app's key, and says nothing else", async () => {
    const { file } = await seal(randomBytes(10))
    const header = readStreamHeader(file)
    const other = createTestApp().prime256v1
    expect(() => deriveStreamKey(header, agreedContentKey(header, other), other.publicKey)).toThrow(refusal)
    expect(() => deriveStreamKey(header, agreedContentKey(header, app), other.publicKey)).toThrow(refusal)
  })

  test("has a key and a salt of its own each time", async () => {
    const files = await Promise.all(Array.from({ length: 4 }, () => seal(Buffer.from("same"))))
    expect(new Set(files.map(({ file }) => file.subarray(9, 42).toString("hex"))).size).toBe(4)
    expect(new Set(files.map(({ file }) => file.subarray(42, 74).toString("hex"))).size).toBe(4)
  })

  test("opens with the value key when it was started with it, and with no other", async () => {
    const symmetric = createSymmetricApp()
    const fields = { role: "pci", chunkBytes: CHUNK, encryptedAt: 1_795_000_000 }
    const { header, key } = startSymmetricStream(symmetric.version(3), fields)
    const read = readStreamHeader(header)
    expect(read).toMatchObject({ ...fields, keyVersion: 3, debug: false })
    expect(header.length).toBe(streamHeaderBytes("pci"))
    if (!isSymmetric(read)) throw new Error("It names no key version")
    const contentKey = symmetric.version(3).contentKey(read)
    expect(deriveStreamKey(read, contentKey, symmetric.appPublicKey).equals(key)).toBe(true)
    const other = createSymmetricApp()
    expect(() => deriveStreamKey(read, other.version(3).contentKey(read), symmetric.appPublicKey)).toThrow(
      refusal,
    )
    expect(() => deriveStreamKey(read, contentKey, other.appPublicKey)).toThrow(refusal)
    expect(() => symmetric.version(2).contentKey(read)).toThrow(refusal)
  })

  test("cannot be sealed in parts that end within a chunk, or after its end", async () => {
    const { layout, streamKey } = await seal(randomBytes(3 * CHUNK))
    const sealPart = (first: number, bytes: number) =>
      sealChunks(streamKey, { layout, first, plaintext: new Uint8Array(bytes) })
    await expect(sealPart(0, CHUNK - 1)).rejects.toThrow(RangeError)
    await expect(sealPart(2, CHUNK + 1)).rejects.toThrow(RangeError)
    await expect(sealPart(3, CHUNK)).rejects.toThrow(RangeError)
  })
})

describe("the layout of a streaming file", () => {
  test("is the same from either length", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 45 }), fc.integer({ min: 6, max: 20 }), (size, exponent) => {
        const layout = { headerBytes: 123, chunkBytes: 2 ** exponent, plaintextBytes: size }
        if (chunksOf(layout) > 2 ** 32) return
        expect(plaintextBytesOf(sealedBytesOf(layout), layout)).toBe(size)
      }),
    )
  })

  test.each([0, 122, 123, 138, 123 + 80 + 1, 123 + 80 + 16])("has no content in %d bytes", (sealedBytes) => {
    expect(plaintextBytesOf(sealedBytes, { headerBytes: 123, chunkBytes: 64 })).toBeNull()
  })

  test("gives every chunk its own nonce, and refuses more chunks than there are numbers", () => {
    expect(Buffer.from(chunkNonce(0x01020304, true)).toString("hex")).toBe("000000000000000102030401")
    expect(Buffer.from(chunkNonce(1, false)).toString("hex")).toBe("000000000000000000000100")
    expect(() => chunkNonce(2 ** 32, true)).toThrow(RangeError)
  })

  test.each([null, "a", "a-role-of-20-letters"])(
    "tells how long a header with the role %o is",
    async (role) => {
      const { layout } = await seal(Buffer.alloc(1), role)
      expect(layout.headerBytes).toBe(streamHeaderBytes(role))
    },
  )
})
