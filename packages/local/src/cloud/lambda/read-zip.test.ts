import { type Zippable, zipSync } from "fflate"
import { expect, test } from "vitest"
import { listZip } from "./read-zip.ts"

const LIMITS = { maxEntries: 100, maxBytes: 1_000_000 }
const TEXT = Buffer.from("some text, some text, some text")
const CENTRAL = Buffer.from([0x50, 0x4b, 1, 2])
const SYMBOLIC_LINK = 0o120777

test("lists files with their bytes, stored and deflated, and leaves out folders", async () => {
  const zip = pack({ "a/": new Uint8Array(), "a/b.txt": [TEXT, { level: 9 }], "é.txt": [TEXT, { level: 0 }] })

  const files = await Promise.all(
    listZip(zip, LIMITS).map(async ({ path, read }) => [path, (await read()).toString()]),
  )

  expect(files).toEqual([
    ["a/b.txt", TEXT.toString()],
    ["é.txt", TEXT.toString()],
  ])
})

test("finds the end behind a comment", () => {
  const zip = pack({ a: TEXT })
  const comment = Buffer.concat([zip, Buffer.from("a comment")])
  comment.writeUInt16LE(9, zip.length - 2)

  expect(listZip(comment, LIMITS)).toHaveLength(1)
})

test.each([
  "../a",
  "a/../../b",
  "/etc/passwd",
  "a//b",
  "./a",
  "..",
  "a\\b",
  "C:/a",
  "a\0b",
  `${"x".repeat(256)}`,
  `${"xx/".repeat(400)}a`,
])("refuses the path %o", (path) => {
  expect(() => listZip(pack({ [path]: TEXT }), LIMITS)).toThrow("a path that cannot be unpacked")
})

test("refuses one path twice, also in another case", () => {
  expect(() => listZip(pack({ "a.js": TEXT, "A.js": TEXT }), LIMITS)).toThrow("one path twice")
})

test("refuses symbolic links", () => {
  const zip = pack({ link: [Buffer.from("/etc/passwd"), { os: 3, attrs: SYMBOLIC_LINK << 16 }] })

  expect(() => listZip(zip, LIMITS)).toThrow("something other than files and folders")
})

test("takes as many entries and bytes as the limits say, and not one more", () => {
  const zip = pack({ a: TEXT, b: TEXT })

  expect(listZip(zip, { maxEntries: 2, maxBytes: 2 * TEXT.length })).toHaveLength(2)
  expect(() => listZip(zip, { maxEntries: 1, maxBytes: 1_000 })).toThrow("too many entries")
  expect(() => listZip(zip, { maxEntries: 2, maxBytes: 2 * TEXT.length - 1 })).toThrow("too large")
})

test("does not unpack beyond the size that an entry tells", async () => {
  const zip = pack({ bomb: [Buffer.alloc(900_000), { level: 9 }] })
  zip.writeUInt32LE(10, zip.indexOf(CENTRAL) + 24)

  await expect(listZip(zip, LIMITS)[0]?.read()).rejects.toThrow("The zip is damaged.")
})

test("refuses a zip that was cut anywhere, and unpacks no content that a changed bit made", async () => {
  const zip = pack({ a: [TEXT, { level: 9 }] })
  for (let length = 0; length < zip.length; length++) {
    expect(() => listZip(zip.subarray(0, length), LIMITS)).toThrow("The zip is damaged.")
  }
  for (let at = 0; at < zip.length; at++) {
    const changed = Buffer.from(zip)
    changed[at] = (changed[at] ?? 0) ^ 1
    const content = await unpacked(changed)
    // Names, times and attributes may change; what is unpacked is the content or nothing.
    expect(content === null || content.equals(TEXT) || content.length === 0).toBe(true)
  }
})

test.each([
  ["encrypted", 8, 1, "encrypted"],
  ["packed by another method", 10, 12, "compression"],
])("refuses what is %s", async (_, offset, value, message) => {
  const zip = pack({ a: TEXT })
  zip.writeUInt16LE(value, zip.indexOf(CENTRAL) + offset)

  await expect(listZip(zip, LIMITS)[0]?.read()).rejects.toThrow(message)
})

function pack(files: Zippable): Buffer {
  return Buffer.from(zipSync(files))
}

async function unpacked(zip: Buffer): Promise<Buffer | null> {
  try {
    return (await listZip(zip, LIMITS)[0]?.read()) ?? Buffer.alloc(0)
  } catch {
    return null
  }
}
