import { randomBytes } from "node:crypto"
import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { UnreadableBodyError } from "../body/located-body.ts"
import {
  type Coding,
  decodeContent,
  decodeContentStream,
  encodeContent,
  encodeContentStream,
  parseContentEncoding,
  UnknownCodingError,
} from "./content-coding.ts"

const MAX_BYTES = 5_000_000
const BODY = Buffer.from(JSON.stringify({ name: "Ada", notes: "x".repeat(1_000) }))

interface Sample {
  readonly name: string
  readonly codings: readonly Coding[]
  /** What is detected for such a body. */
  readonly found: readonly Coding[]
  readonly encode: (bytes: Buffer) => Buffer
  readonly decode: (bytes: Buffer) => Buffer
}

const ONE: readonly Sample[] = [
  { name: "gzip", codings: ["gzip"], found: ["gzip"], encode: gzipSync, decode: gunzipSync },
  { name: "deflate", codings: ["deflate"], found: ["deflate"], encode: deflateSync, decode: inflateSync },
  {
    name: "deflate without a zlib frame",
    codings: ["deflate"],
    found: ["deflate-raw"],
    encode: deflateRawSync,
    decode: inflateRawSync,
  },
  { name: "br", codings: ["br"], found: ["br"], encode: brotliCompressSync, decode: brotliDecompressSync },
  { name: "zstd", codings: ["zstd"], found: ["zstd"], encode: zstdCompressSync, decode: zstdDecompressSync },
]
const SAMPLES: readonly Sample[] = [
  ...ONE,
  {
    name: "deflate, then gzip, then br",
    codings: ["deflate", "gzip", "br"],
    found: ["deflate", "gzip", "br"],
    encode: (bytes) => brotliCompressSync(gzipSync(deflateSync(bytes))),
    decode: (bytes) => inflateSync(gunzipSync(brotliDecompressSync(bytes))),
  },
]

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
async function joined(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks))
}
/** Refused by both ways, which must agree. */
async function refusalOf(bytes: Buffer, codings: readonly Coding[], maxBytes = MAX_BYTES): Promise<unknown> {
  const whole = await decodeContent(bytes, codings, maxBytes).catch((error: unknown) => error)
  const reason = whole instanceof UnreadableBodyError ? whole.reason : "none"
  for (const size of [1, 7, bytes.length]) {
    const streamed = joined(decodeContentStream(inChunks(bytes, size), codings, maxBytes))
    await expect(streamed).rejects.toMatchObject({ reason })
  }
  return whole
}

describe("a Content-Encoding", () => {
  test.each<[string | undefined, readonly Coding[]]>([
    [undefined, []],
    ["", []],
    ["identity", []],
    ["gzip", ["gzip"]],
    ["X-GZIP", ["gzip"]],
    ["deflate, br", ["deflate", "br"]],
    [" zstd ,identity,\tgzip", ["zstd", "gzip"]],
  ])("is parsed: %j", (value, codings) => {
    expect(parseContentEncoding(value)).toEqual(codings)
  })

  test.each(["compress", "gzip;q=1", "br br", "gzip, gzip, gzip, gzip", "aws-chunked", "deflate-raw"])(
    "is refused: %j",
    (value) => {
      expect(() => parseContentEncoding(value)).toThrow(UnknownCodingError)
    },
  )
})

describe.each(SAMPLES)("a body in $name", ({ codings, found, encode, decode }) => {
  test("is decoded, and encoded with the same coding again", async () => {
    const decoded = await decodeContent(encode(BODY), codings, MAX_BYTES)
    expect(decoded).toEqual({ bytes: BODY, codings: found })
    expect(decode(await encodeContent(decoded.bytes, decoded.codings))).toEqual(BODY)
  })

  test("is decoded as a stream, for any chunk size", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), fc.integer({ min: 1, max: 40 }), async (content, size) => {
        const body = Buffer.from(content)
        const decoded = decodeContentStream(inChunks(encode(body), size), codings, MAX_BYTES)
        expect(await joined(decoded)).toEqual(body)
      }),
      { numRuns: 20 },
    )
  })

  test("is encoded as a stream", async () => {
    expect(decode(await joined(encodeContentStream(inChunks(BODY, 100), found)))).toEqual(BODY)
  })

  test("may have exactly the maximum size", async () => {
    const encoded = encode(BODY)
    expect((await decodeContent(encoded, codings, BODY.length)).bytes).toEqual(BODY)
    expect(await refusalOf(encoded, codings, BODY.length - 1)).toMatchObject({ reason: "too-large" })
  })

  test("is refused when it is truncated", async () => {
    const encoded = encode(BODY)
    for (const length of [0, 1, encoded.length >> 1, encoded.length - 1]) {
      expect(await refusalOf(encoded.subarray(0, length), codings)).toMatchObject({ reason: "malformed" })
    }
  })

  test.each([
    ["garbage", Buffer.from("xx")],
    ["a zero", Buffer.alloc(1)],
  ])("is refused with %s after it", async (_what, behind) => {
    const encoded = Buffer.concat([encode(BODY), behind])
    expect(await refusalOf(encoded, codings)).toMatchObject({ reason: "malformed" })
  })

  test("is refused when it is something else", async () => {
    expect(await refusalOf(Buffer.from("{ plain: 'text, and no coding at all' }"), codings)).toMatchObject({
      name: "UnreadableBodyError",
    })
  })
})

describe("a body in zstd", () => {
  /** With an empty frame, and a skippable one (RFC 8878 section 3.1.2). */
  const frames = [
    zstdCompressSync("Ada "),
    zstdCompressSync(""),
    Buffer.from("502a4d1803000000616263", "hex"),
    zstdCompressSync("Lovelace"),
  ]

  test("may have several frames, however it arrives", async () => {
    const encoded = Buffer.concat(frames)
    expect((await decodeContent(encoded, ["zstd"], MAX_BYTES)).bytes.toString()).toBe("Ada Lovelace")
    for (let size = 1; size <= encoded.length; size++) {
      const decoded = await joined(decodeContentStream(inChunks(encoded, size), ["zstd"], MAX_BYTES))
      expect(decoded.toString()).toBe("Ada Lovelace")
    }
  })

  test("is refused when its frames are too large in total, or the last one is truncated", async () => {
    const encoded = Buffer.concat(frames)
    expect(await refusalOf(encoded, ["zstd"], 11)).toMatchObject({ reason: "too-large" })
    expect(await refusalOf(encoded.subarray(0, -1), ["zstd"])).toMatchObject({ reason: "malformed" })
  })

  test("may have at most 100 frames", async () => {
    const encoded = (count: number) => Buffer.concat(Array<Buffer>(count).fill(zstdCompressSync("x")))
    const streamed = (count: number) =>
      joined(decodeContentStream(inChunks(encoded(count), 10_000), ["zstd"], MAX_BYTES))
    expect((await decodeContent(encoded(100), ["zstd"], MAX_BYTES)).bytes).toHaveLength(100)
    expect(await streamed(100)).toHaveLength(100)
    const malformed = { reason: "malformed" }
    await expect(decodeContent(encoded(101), ["zstd"], MAX_BYTES)).rejects.toMatchObject(malformed)
    await expect(streamed(101)).rejects.toMatchObject(malformed)
  })

  test("is written in one frame, for any chunk size", async () => {
    const magic = Buffer.from("28b52ffd", "hex")
    for (const size of [1, 10, 100, 333, 2_000]) {
      const encoded = await joined(encodeContentStream(inChunks(BODY, size), ["zstd"]))
      expect([encoded.indexOf(magic), encoded.indexOf(magic, 1)]).toEqual([0, -1])
      expect(zstdDecompressSync(encoded)).toEqual(BODY)
    }
  })
})

describe("a decompression bomb", () => {
  test.each(ONE)("in $name ends at the limit", async ({ codings, encode }) => {
    const bomb = encode(Buffer.alloc(30_000_000))
    await expect(decodeContent(bomb, codings, MAX_BYTES)).rejects.toMatchObject({ reason: "too-large" })
    const streamed = joined(decodeContentStream(inChunks(bomb, 65_536), codings, MAX_BYTES))
    await expect(streamed).rejects.toMatchObject({ reason: "too-large" })
  })

  test("uses little more memory than the limit", async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000))
    const before = process.memoryUsage().rss
    await expect(decodeContent(bomb, ["gzip"], MAX_BYTES)).rejects.toMatchObject({ reason: "too-large" })
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
  })

  test("within another is bounded at each layer", async () => {
    const bomb = gzipSync(gzipSync(gzipSync(Buffer.alloc(30_000_000))))
    expect(await refusalOf(bomb, ["gzip", "gzip", "gzip"])).toMatchObject({ reason: "too-large" })
  })

  test("in zstd that asks for a window of 128 MB is refused", async () => {
    // Magic number, frame header descriptor, a window of 2^27 bytes, and one empty last block (RFC 8878).
    const frame = Buffer.from("28b52ffd0088010000", "hex")
    expect(await refusalOf(frame, ["zstd"])).toMatchObject({ reason: "malformed" })
  })
})

describe("a stream whose source fails", () => {
  test("fails with the source's error", async () => {
    const failure = new Error("gone")
    async function* broken(): AsyncGenerator<Buffer> {
      yield gzipSync(BODY).subarray(0, 20)
      throw failure
    }
    await expect(joined(decodeContentStream(broken(), ["gzip"], MAX_BYTES))).rejects.toBe(failure)
    await expect(joined(encodeContentStream(broken(), ["br", "gzip"]))).rejects.toBe(failure)
  })

  test("closes its source when its reader stops", async () => {
    let closed = false
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        for (;;) yield randomBytes(10_000)
      } finally {
        closed = true
      }
    }
    for await (const chunk of encodeContentStream(endless(), ["gzip"])) if (chunk.length > 100) break
    await new Promise((resolve) => setImmediate(resolve))
    expect(closed).toBe(true)
  })
})
