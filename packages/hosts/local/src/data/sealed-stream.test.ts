import { hkdfSync } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type DeriveKey, openStream, sealStream } from "./sealed-stream.ts"

const PASSPHRASE = "correct horse battery staple"
const CHUNK_BYTES = 65_536
const HEADER_BYTES = 25
const UNUSABLE = { code: "backup-unusable" }
/** Takes no time, where scrypt is meant to take half a second. */
const deriveQuickly: DeriveKey = async (passphrase, salt) =>
  Buffer.from(hkdfSync("sha256", passphrase, salt, "", 32))

test.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES])(
  "opens what it sealed when the content has %i bytes",
  async (size) => {
    const content = Buffer.alloc(size, 7)

    const sealed = await seal(content)

    const chunks = Math.max(1, Math.ceil(size / CHUNK_BYTES))
    expect(sealed).toHaveLength(HEADER_BYTES + size + chunks * 16)
    expect((await open(sealed)).equals(content)).toBe(true)
  },
)

test("opens what it sealed, however both are split", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 500 }),
      async (pieces, size) => {
        const sealed = await collect(sealStream(PASSPHRASE, streamOf(pieces), deriveQuickly))
        const cut = Array.from({ length: Math.ceil(sealed.length / size) }, (_, index) =>
          sealed.subarray(index * size, (index + 1) * size),
        )
        const opened = await collect(openStream(PASSPHRASE, streamOf(cut), deriveQuickly))
        expect(opened.equals(Buffer.concat(pieces))).toBe(true)
      },
    ),
    { numRuns: 50 },
  ))

test("accepts a passphrase in either Unicode form", async () => {
  const sealed = await collect(sealStream("caf\u00e9 passphrase", streamOf([Buffer.from("x")])))

  expect((await collect(openStream("cafe\u0301 passphrase", streamOf([sealed])))).toString()).toBe("x")
})

describe("refuses with backup-unusable", () => {
  test("another passphrase", async () => {
    const sealed = await collect(sealStream(PASSPHRASE, streamOf([Buffer.from("content")])))

    await expect(collect(openStream("another", streamOf([sealed])))).rejects.toMatchObject(UNUSABLE)
  })

  test.each([
    ["the magic", 0],
    ["the version", 8],
    ["the salt", 9],
    ["the first chunk", HEADER_BYTES],
    ["the first tag", HEADER_BYTES + CHUNK_BYTES],
    ["the last chunk", HEADER_BYTES + CHUNK_BYTES + 16],
    ["the last tag", HEADER_BYTES + CHUNK_BYTES + 16 + 10 + 15],
  ])("one bit flipped in %s", async (_, at) => {
    const sealed = await seal(Buffer.alloc(CHUNK_BYTES + 10))
    sealed.writeUInt8(sealed.readUInt8(at) ^ 1, at)

    await expect(open(sealed)).rejects.toMatchObject(UNUSABLE)
  })

  test.each([0, 8, 24, HEADER_BYTES, HEADER_BYTES + 15, HEADER_BYTES + CHUNK_BYTES + 16])(
    "a file truncated after %i bytes",
    async (length) => {
      const sealed = await seal(Buffer.alloc(CHUNK_BYTES + 10))

      await expect(open(sealed.subarray(0, length))).rejects.toMatchObject(UNUSABLE)
    },
  )

  test("two swapped chunks", async () => {
    const sealed = await seal(Buffer.alloc(2 * CHUNK_BYTES + 1))
    const [first, second] = [HEADER_BYTES, HEADER_BYTES + CHUNK_BYTES + 16]
    const exchanged = Buffer.concat([
      sealed.subarray(0, first),
      sealed.subarray(second, 2 * second - first),
      sealed.subarray(first, second),
      sealed.subarray(2 * second - first),
    ])

    await expect(open(exchanged)).rejects.toMatchObject(UNUSABLE)
  })
})

function seal(content: Uint8Array): Promise<Buffer> {
  return collect(sealStream(PASSPHRASE, streamOf([content]), deriveQuickly))
}

function open(sealed: Uint8Array): Promise<Buffer> {
  return collect(openStream(PASSPHRASE, streamOf([sealed]), deriveQuickly))
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(stream))
}

async function* streamOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}
