import { appendFile, mkdtemp, rm, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { describe, expect, onTestFinished, test } from "vitest"
import { createTestHost } from "../testing/test-host.ts"
import { openTableInput } from "./table-input.ts"

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 251))

async function read(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

async function folderWith(content: Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-input-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, "in"), content)
  return folder
}

const streamOf = (content: Buffer, secret = "secret") =>
  openTableInput(
    {
      ...createTestHost({ folder: "/nonexistent" }),
      stdin: Readable.from(
        Array.from({ length: Math.ceil(content.length / 9_999) }, (_, index) =>
          content.subarray(index * 9_999, (index + 1) * 9_999),
        ),
        { objectMode: false },
      ),
    },
    "-",
    secret,
  )

describe("standard input", () => {
  test("can be peeked at, and is then read from its start or from a position", async () => {
    const input = await streamOf(bytes)
    for await (const chunk of input.peek(3)) {
      expect(chunk.subarray(0, 5)).toEqual(bytes.subarray(3, 8))
      break
    }
    for await (const chunk of input.peek(0)) {
      expect(chunk.subarray(0, 5)).toEqual(bytes.subarray(0, 5))
      break
    }
    expect((await read(input.chunks(20_000, null))).equals(bytes.subarray(20_000))).toBe(true)
  })

  test.each([0, 1, 65_535, 65_536, 65_537, 131_072, 299_999, 300_000])(
    "resumes at %i when it is the same",
    async (position) => {
      const before = await streamOf(bytes)
      await read(before.chunks(0, null))
      const expected = before.identityAt(position)
      const again = await streamOf(bytes)
      expect((await read(again.chunks(position, expected))).equals(bytes.subarray(position))).toBe(true)
    },
  )

  test("is refused when it differs before the position, ends before it, or comes with a different key", async () => {
    const before = await streamOf(bytes)
    await read(before.chunks(0, null))
    const expected = before.identityAt(200_000)
    const other = Buffer.from(bytes)
    other.writeUInt8(other.readUInt8(100_000) ^ 1, 100_000)
    for (const input of [
      await streamOf(other),
      await streamOf(bytes.subarray(0, 199_999)),
      await streamOf(bytes, "other"),
    ]) {
      await expect(read(input.chunks(200_000, expected))).rejects.toMatchObject({ code: "usage" })
    }
    const later = Buffer.from(bytes)
    later.writeUInt8(0, 250_000)
    expect(await read((await streamOf(later)).chunks(200_000, expected))).toHaveLength(100_000)
  })

  test("is no longer awaited when the user gives up", async () => {
    const abort = new AbortController()
    const stdin = new Readable({ read: () => undefined })
    const host = { ...createTestHost({ folder: "/nonexistent" }), stdin, signal: abort.signal }
    const input = await openTableInput(host, "-", "secret")
    const reading = read(input.chunks(0, null))
    abort.abort(130)
    await expect(reading).rejects.toBe(130)
  })
})

describe("an input file", () => {
  test("is read from a position, and reports its size", async () => {
    const folder = await folderWith(bytes)
    const input = await openTableInput(createTestHost({ folder }), "in", "secret")
    expect(input.sizeBytes).toBe(300_000)
    expect(
      (await read(input.chunks(299_000, input.identityAt(299_000)))).equals(bytes.subarray(299_000)),
    ).toBe(true)
  })

  test.each(["size", "time"])("is refused when it has another %s", async (what) => {
    const folder = await folderWith(bytes)
    const host = createTestHost({ folder })
    const expected = (await openTableInput(host, "in", "secret")).identityAt(10)
    if (what === "size") await writeFile(join(folder, "in"), bytes.subarray(1))
    await utimes(join(folder, "in"), 1_000, what === "size" ? 1_000 : 2_000)
    const input = await openTableInput(host, "in", "secret")
    await expect(read(input.chunks(10, expected))).rejects.toMatchObject({ code: "usage" })
  })

  test("is refused when it does not exist or is a folder", async () => {
    const folder = await folderWith(bytes)
    const host = createTestHost({ folder })
    await expect(openTableInput(host, "none", "s")).rejects.toMatchObject({ code: "usage" })
    const input = openTableInput(host, ".", "s").then((found) => read(found.chunks(0, null)))
    await expect(input).rejects.toMatchObject({ code: "usage" })
  })
})

test.each([
  ["grows", (path: string) => appendFile(path, "more")],
  ["is replaced", (path: string) => writeFile(path, Buffer.alloc(bytes.length - 1))],
  ["is removed", (path: string) => rm(path)],
])("refuses a file at its end that %s while it is read", async (_what, change) => {
  const folder = await folderWith(bytes)
  const input = await openTableInput(createTestHost({ folder }), "in", "secret")
  const chunks = input.chunks(0, null)[Symbol.asyncIterator]()
  await chunks.next()
  await change(join(folder, "in"))
  const rest = (async () => {
    while (!(await chunks.next()).done);
  })()
  await expect(rest).rejects.toThrow("changed while it was being read")
})
