import { crc32 } from "node:zlib"
import { describe, expect, test } from "vitest"
import { agreedContentKey } from "../crypto/agreed-content-key.ts"
import { isSymmetric } from "../crypto/content-key.ts"
import { refusal } from "../testing/refused.ts"
import { collect, inChunks } from "../testing/streams.ts"
import { createTestApp, openBytes, type TestApp } from "../testing/test-app.ts"
import { createSealingKey } from "../values/sealing-key.ts"
import type { FileHeader } from "./file-header.ts"
import { FileTooLargeError } from "./file-too-large-error.ts"
import { type FileKey, openFileStream } from "./open-file-stream.ts"
import { sealFile, sealFileStream } from "./seal-file.ts"

const app = createTestApp()
const key = createSealingKey({ appPublicKey: app.prime256v1.publicKey, debug: false })
const BLOCK_BYTES = 65_536
const HEADER_BYTES = 55

function keysOf(...apps: TestApp[]) {
  return (header: FileHeader): FileKey[] =>
    apps.map((each) => {
      const agreement = each[isSymmetric(header) ? "prime256v1" : header.curve]
      return { contentKey: agreedContentKey(header, agreement), appPublicKey: agreement.publicKey }
    })
}

function bytesOf(size: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: size }, (_, index) => index * 31))
}

describe("a file sealed as a stream", () => {
  test.each([1, 2, 7, 16, 40])("opens to the same bytes when read in chunks of %d", async (size) => {
    const bytes = bytesOf(40)
    expect(openBytes(await collect(sealFileStream(inChunks(bytes, size), key)), app)).toEqual(bytes)
  })

  test.each([0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 300_000])(
    "opens when it has %d bytes",
    async (size) => {
      const bytes = bytesOf(size)
      const sealed = await collect(sealFileStream(inChunks(bytes, BLOCK_BYTES), key))
      expect(openBytes(sealed, app).equals(bytes)).toBe(true)
    },
  )

  test("opens when there were empty chunks", async () => {
    async function* source() {
      yield Buffer.alloc(0)
      yield Buffer.from("ab")
      yield Buffer.alloc(0)
      yield Buffer.from("c")
    }
    const chunks = await Array.fromAsync(sealFileStream(source(), key))
    expect(chunks.map(({ length }) => length)).toEqual([55, 2, 1, 20])
    expect(openBytes(Buffer.concat(chunks), app).toString()).toBe("abc")
  })

  test("yields each sealed chunk before it reads the next one", async () => {
    const events: string[] = []
    async function* source() {
      for (const chunk of ["ab", "cd", "ef"]) {
        events.push(`in ${chunk}`)
        yield Buffer.from(chunk)
      }
    }
    for await (const chunk of sealFileStream(source(), key)) events.push(`out ${chunk.length}`)
    expect(events).toEqual(["out 55", "in ab", "out 2", "in cd", "out 2", "in ef", "out 2", "out 20"])
  })

  test("closes its source when the reader stops early", async () => {
    let closed = false
    async function* source() {
      try {
        for (;;) yield Buffer.from("a")
      } finally {
        closed = true
      }
    }
    const stream = sealFileStream(source(), key)
    await stream.next()
    await stream.next()
    await stream.return()
    expect(closed).toBe(true)
  })
})

describe("a file opened as a stream", () => {
  test("opens to the same bytes in chunks of any size", async () => {
    const bytes = bytesOf(40)
    const sealed = sealFile(bytes, key)
    for (let size = 1; size <= sealed.length; size++) {
      const opened = openFileStream(inChunks(sealed, size), keysOf(app), { maxBytes: sealed.length })
      expect(await collect(opened)).toEqual(bytes)
    }
  })

  test.each(
    [0, 1, 15, 16, 17].concat(
      [-1, 0, 1].flatMap((near) => [
        BLOCK_BYTES + near,
        BLOCK_BYTES - HEADER_BYTES + near,
        BLOCK_BYTES - HEADER_BYTES - 16 + near,
        BLOCK_BYTES - HEADER_BYTES - 20 + near,
        3 * BLOCK_BYTES + near,
      ]),
    ),
  )("opens when it has %d bytes", async (size) => {
    const bytes = bytesOf(size)
    const sealed = sealFile(bytes, key)
    for (const chunkBytes of [10_000, BLOCK_BYTES]) {
      const opened = openFileStream(inChunks(sealed, chunkBytes), keysOf(app), { maxBytes: sealed.length })
      expect((await collect(opened)).equals(bytes)).toBe(true)
    }
  })

  test("opens with any of the keys it may be sealed to, tried in the given order", async () => {
    const sealed = sealFile(Buffer.from("abc"), key)
    const apps = [createTestApp(), createTestApp(), app, createTestApp()]
    const opened = openFileStream(inChunks(sealed, 10), keysOf(...apps), { maxBytes: 1000 })
    expect((await collect(opened)).toString()).toBe("abc")
  })

  test.each([1_000, 20_000, 65_536, 400_000])(
    "opens with the last of several keys, in chunks of %d",
    async (size) => {
      const bytes = bytesOf(300_001)
      const sealed = sealFile(bytes, key)
      const keys = keysOf(createTestApp(), createTestApp(), app)
      const opened = openFileStream(inChunks(sealed, size), keys, { maxBytes: sealed.length })
      expect((await collect(opened)).equals(bytes)).toBe(true)
    },
  )

  test("opens with keys that resolve later", async () => {
    const sealed = sealFile(Buffer.from("abc"), key)
    const opened = openFileStream(inChunks(sealed, 10), async (header) => keysOf(app)(header), {
      maxBytes: 1000,
    })
    expect((await collect(opened)).toString()).toBe("abc")
  })

  test("opens to the original bytes when the caller overwrites the chunks afterwards", async () => {
    const sealed = sealFile(bytesOf(1000), key)
    async function* source() {
      const chunk = Buffer.alloc(100)
      for (let at = 0; at < sealed.length; at += chunk.length) {
        const length = sealed.copy(chunk, 0, at)
        yield chunk.subarray(0, length)
      }
      chunk.fill(0)
    }
    const opened = openFileStream(source(), keysOf(app), { maxBytes: sealed.length })
    expect(await collect(opened)).toEqual(bytesOf(1000))
  })

  test.each([
    ["no key", []],
    ["no key that fits", [createTestApp(), createTestApp()]],
  ])("is refused when there is %s", async (_, apps) => {
    const sealed = sealFile(Buffer.from("abc"), key)
    const opened = openFileStream(inChunks(sealed, 10), keysOf(...apps), { maxBytes: 1000 })
    await expect(collect(opened)).rejects.toThrow(refusal)
  })
})

describe("no part of a file is released", () => {
  const bytes = bytesOf(3 * BLOCK_BYTES)
  const sealed = sealFile(bytes, key)
  const damages: [string, (file: Buffer) => Buffer][] = [
    ["the tag is flipped", (file) => withRightCrc(flip(file, file.length - 5))],
    ["the last byte of the content is flipped", (file) => withRightCrc(flip(file, file.length - 21))],
    ["the first byte of the content is flipped", (file) => withRightCrc(flip(file, HEADER_BYTES))],
    ["the IV is flipped", (file) => withRightCrc(flip(file, 42))],
    ["the CRC is flipped", (file) => flip(file, file.length - 1)],
    ["the end is cut off", (file) => file.subarray(0, -1)],
    ["half is cut off", (file) => file.subarray(0, file.length / 2)],
    ["it ends within the header", (file) => file.subarray(0, 54)],
    ["it is empty", () => Buffer.alloc(0)],
    ["it is the header alone", (file) => file.subarray(0, HEADER_BYTES)],
    ["it is no file", (file) => Buffer.alloc(file.length)],
  ]

  test.each(damages)("when %s", async (_, damage) => {
    const released: Buffer[] = []
    const opening = async () => {
      const stream = openFileStream(inChunks(damage(sealed), 50_000), keysOf(app), {
        maxBytes: sealed.length,
      })
      for await (const chunk of stream) released.push(chunk)
    }
    await expect(opening()).rejects.toThrow(refusal)
    expect(released).toEqual([])
  })

  test("before all of it has come in", async () => {
    let ended = false
    async function* source() {
      yield* inChunks(sealed, 50_000)
      ended = true
    }
    const stream = openFileStream(source(), keysOf(app), { maxBytes: sealed.length })
    const first = await stream.next()
    expect(ended).toBe(true)
    expect(bytes.indexOf(first.value ?? "nothing")).toBe(0)
  })
})

describe("stops reading the file early", () => {
  /** Counts the chunks that were asked for. */
  function counted(chunks: Iterable<Buffer>) {
    const counter = { chunks: 0, closed: false, source: source() }
    async function* source() {
      try {
        for (const chunk of chunks) {
          counter.chunks++
          yield chunk
        }
      } finally {
        counter.closed = true
      }
    }
    return counter
  }

  test("when it does not start like an encrypted file", async () => {
    const counter = counted(Array.from({ length: 100 }, () => Buffer.alloc(100)))
    await expect(collect(openFileStream(counter.source, keysOf(app), { maxBytes: 1e6 }))).rejects.toThrow(
      refusal,
    )
    expect(counter).toMatchObject({ chunks: 1, closed: true })
  })

  test("when it exceeds the maximum size", async () => {
    const sealed = sealFile(bytesOf(1000), key)
    const counter = counted([sealed.subarray(0, 500), sealed.subarray(500), sealed])
    const opened = collect(openFileStream(counter.source, keysOf(app), { maxBytes: sealed.length - 1 }))
    await expect(opened).rejects.toMatchObject({ code: "payload-too-large" })
    await expect(opened).rejects.toBeInstanceOf(FileTooLargeError)
    expect(counter).toMatchObject({ chunks: 2, closed: true })
  })
})

test.each([
  ["its CRC is wrong", flip(sealFile(Buffer.from("abc"), key), 60)],
  ["it is too short to have a tag", withRightCrc(sealFile(Buffer.alloc(0), key).subarray(0, -1))],
])("refuses a file when %s", async (_, file) => {
  const opened = openFileStream(inChunks(file, 10), keysOf(app), { maxBytes: 1000 })
  await expect(collect(opened)).rejects.toThrow(refusal)
})

test("refuses a file that none of the keys opens, and one that has no keys", async () => {
  const sealed = sealFile(bytesOf(100_000), key)
  for (const others of [[], [createTestApp()], [createTestApp(), createTestApp()]]) {
    const opened = openFileStream(inChunks(sealed, 30_000), keysOf(...others), { maxBytes: sealed.length })
    await expect(collect(opened)).rejects.toThrow(refusal)
  }
})

function flip(bytes: Buffer, index: number): Buffer {
  const flipped = Buffer.from(bytes)
  flipped.writeUInt8(flipped.readUInt8(index) ^ 1, index)
  return flipped
}

function withRightCrc(bytes: Buffer): Buffer {
  const fixed = Buffer.from(bytes)
  fixed.writeUInt32LE(crc32(fixed.subarray(0, -4)), fixed.length - 4)
  return fixed
}
