import { expect, test } from "vitest"
import { type Entry, readEntries, writeEntries } from "./backup-entries.ts"

const UNUSABLE = { code: "backup-unusable" }

test("reads the files that it wrote, including empty ones", async () => {
  const files = { "kms/keys.json": "keys", "lambda/hello.0a/code/..x/index.mjs": "", "manifest.json": "{}" }
  const written = await write(Object.entries(files).map(([path, text]) => entryOf(path, text)))

  expect(await read(written)).toEqual(files)
})

test.each([
  "../outside",
  "/etc/passwd",
  "lambda/../manifest.json",
  "lambda/..",
  "lambda/./x",
  "lambda//x",
  "lambda/a\\b",
  "lambda/a\0b",
  "kms/other",
  "env",
])("refuses with backup-unusable the path %j", async (path) => {
  const head = Buffer.from(JSON.stringify({ path, size: 0, isExecutable: false }))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)

  await expect(read(Buffer.concat([length, head, Buffer.alloc(4)]))).rejects.toMatchObject(UNUSABLE)
})

test.each([
  ["that ends within a file", (bytes: Buffer) => bytes.subarray(0, -5)],
  ["that ends without its mark", (bytes: Buffer) => bytes.subarray(0, -4)],
  ["that goes on after its mark", (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(1)])],
  ["whose head is too long", () => Buffer.from([0x7f, 0xff, 0xff, 0xff])],
])("refuses with backup-unusable a content %s", async (_, change) => {
  const written = await write([entryOf("manifest.json", "{}")])

  await expect(read(change(written))).rejects.toMatchObject(UNUSABLE)
})

test.each([1, 3])("refuses with backup-unusable a file of 2 bytes of which %i are read", async (length) => {
  const changed = { ...entryOf("manifest.json", "x".repeat(length)), size: 2 }

  await expect(write([changed])).rejects.toMatchObject(UNUSABLE)
})

function entryOf(path: string, text: string): Entry {
  const bytes = Buffer.from(text)
  return { path, size: bytes.length, isExecutable: false, content: streamOf([bytes]) }
}

async function write(entries: readonly Entry[]): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(writeEntries(streamOf(entries))))
}

/** Returns texts by path. */
async function read(bytes: Uint8Array): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for await (const { path, content } of readEntries(streamOf([bytes]))) {
    files[path] = Buffer.concat(await Array.fromAsync(content)).toString()
  }
  return files
}

async function* streamOf<Each>(each: readonly Each[]): AsyncGenerator<Each> {
  yield* each
}
