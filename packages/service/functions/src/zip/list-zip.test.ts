import { crc32, deflateRawSync } from "node:zlib"
import { type Zippable, zipSync } from "fflate"
import { describe, expect, test } from "vitest"
import { type CraftedEnd, type CraftedFile, craftZip, localHeader } from "../testing/crafted-zip.ts"
import { InvalidZipError } from "./invalid-zip-error.ts"
import { listZip } from "./list-zip.ts"
import type { PackedFile } from "./packed-file.ts"
import { unpackFile } from "./unpack-file.ts"
import { packFile, writeZip } from "./write-zip.ts"

const LIMITS = { maxEntries: 100, maxBytes: 1_000_000 }
const TEXT = Buffer.from("some text, some text, some text")
const SYMBOLIC_LINK = 0o120777

describe("a zip", () => {
  test("is parsed into its files, stored or deflated, without folders", async () => {
    const zip = pack({
      "a/": new Uint8Array(),
      "a/b.txt": [TEXT, { level: 9 }],
      "é.txt": [TEXT, { level: 0 }],
      empty: new Uint8Array(),
    })
    expect(await unpacked(zip)).toEqual([
      ["a/b.txt", TEXT.toString()],
      ["é.txt", TEXT.toString()],
      ["empty", ""],
    ])
  })

  test("that we wrote is parsed into its files, whatever their names", async () => {
    const files = [await packFile("ü/a b", TEXT), await packFile("__proto__", Buffer.from("b"))]
    expect(await unpacked(writeZip(files))).toEqual([
      ["__proto__", "b"],
      ["ü/a b", TEXT.toString()],
    ])
  })

  test("may state its sizes after the content, as streaming archivers write it", async () => {
    const content = Buffer.concat([deflateRawSync(TEXT), Buffer.alloc(16)])
    const zip = craftZip([
      {
        path: "a",
        content: TEXT,
        packed: content,
        says: { flags: 8, packedBytes: content.length - 16 },
        local: { crc32: 0, bytes: 0, packedBytes: 0 },
      },
      { path: "b" },
    ])
    expect(await unpacked(zip)).toEqual([
      ["a", TEXT.toString()],
      ["b", "b"],
    ])
  })

  test("may end with a comment", () => {
    const zip = Buffer.concat([pack({ a: TEXT }), Buffer.from("a comment")])
    zip.writeUInt16LE(9, zip.length - 11)
    expect(listZip(zip, LIMITS)).toHaveLength(1)
  })

  test("may hold exactly as many entries and bytes as the limits allow", () => {
    const zip = pack({ a: TEXT, b: TEXT })
    expect(listZip(zip, { maxEntries: 2, maxBytes: 2 * TEXT.length })).toHaveLength(2)
    const refused = (maxEntries: number, maxBytes: number) =>
      refusal(() => listZip(zip, { maxEntries, maxBytes }))
    expect(refused(1, 1_000)).toMatchObject({
      message: "The zip contains more than 1 files and folders.",
      tooLarge: true,
    })
    expect(refused(2, 2 * TEXT.length - 1)).toMatchObject({ tooLarge: true })
  })
})

describe("a path", () => {
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
  ])("is refused when it is %o", (path) => {
    expect(() => listZip(pack({ [path]: TEXT }), LIMITS)).toThrow("a path that cannot be unpacked")
  })

  test("is refused when it comes twice", () => {
    expect(() => listZip(craftZip([{ path: "a" }, { path: "b" }, { path: "a" }]), LIMITS)).toThrow(
      "same path twice",
    )
  })

  test("is refused when it is a symbolic link", () => {
    const zip = pack({ link: [Buffer.from("/etc/passwd"), { os: 3, attrs: SYMBOLIC_LINK << 16 }] })
    expect(() => listZip(zip, LIMITS)).toThrow("something other than files and folders")
  })
})

describe("a zip with contradictory headers is refused before anything is unpacked", () => {
  const one: CraftedFile = { path: "a", content: TEXT }
  const deflated = deflateRawSync(TEXT)

  test.each<[string, CraftedFile[], CraftedEnd]>([
    ["another name in the local header", [{ ...one, local: { path: "b" } }], {}],
    ["another method in the local header", [{ ...one, local: { method: 0 } }], {}],
    ["another size in the local header", [{ ...one, local: { bytes: TEXT.length - 1 } }], {}],
    ["another packed size in the local header", [{ ...one, local: { packedBytes: 1 } }], {}],
    ["another check sum in the local header", [{ ...one, local: { crc32: 1 } }], {}],
    ["encryption in the local header alone", [{ ...one, local: { flags: 1 } }], {}],
    ["sizes behind the content in the local header alone", [{ ...one, local: { flags: 8 } }], {}],
    [
      "a stored file of another size than its bytes",
      [{ ...one, packed: TEXT, says: { method: 0, bytes: 99 } }],
      {},
    ],
    ["a size that Deflate cannot reach", [{ ...one, says: { bytes: deflated.length * 1_032 + 1 } }], {}],
    ["the size that stands for Zip64", [{ ...one, says: { bytes: 0xffff_ffff } }], {}],
    ["the packed size that stands for Zip64", [{ ...one, says: { packedBytes: 0xffff_ffff } }], {}],
    ["the offset that stands for Zip64", [{ ...one }, { path: "b", offset: 0xffff_ffff }], {}],
    ["the number of entries that stands for Zip64", [one], { entries: 0xffff }],
    ["the place of the directory that stands for Zip64", [one], { directoryOffset: 0xffff_ffff }],
    ["a Zip64 locator before the end", [one], { before: Buffer.from("504b0607".padEnd(40, "0"), "hex") }],
    ["more entries than there are", [one], { entries: 2 }],
    ["fewer entries than there are", [one, { path: "b" }], { entries: 1 }],
    ["a smaller directory", [one], { directoryBytes: 46 }],
    ["content behind the directory", [one, { path: "b", offset: 31 + deflated.length }], {}],
    ["a folder with content", [{ ...one, path: "a/" }], {}],
  ])("%s", (_what, files, end) => {
    const limits = { maxEntries: 0xffff, maxBytes: 2 ** 40 }
    expect(refusal(() => listZip(craftZip(files, end), limits))).toMatchObject({
      message: "The zip is damaged.",
    })
  })

  test.each([
    ["encrypted", { flags: 1 }, "encrypted"],
    ["packed by another method", { method: 12 }, "compression"],
  ])("%s", (_what, says, message) => {
    expect(() => listZip(craftZip([{ ...one, says }]), LIMITS)).toThrow(message)
  })
})

describe("overlapping entries are refused before anything is unpacked", () => {
  const OVERLAP = "The zip contains overlapping entries."

  test("when all of them share their content", () => {
    const names = Array.from({ length: 50 }, (_, index) => `f${index}`)
    const files = names.map((path, index) => ({ path, content: TEXT, ...(index > 0 && { offset: 0 }) }))
    // A local header has one name; a zip whose entries have different names is refused for that.
    expect(() => listZip(craftZip(files), LIMITS)).toThrow("The zip is damaged.")
  })

  test("when one quotes the local header of the next, as a stored block of its own data", () => {
    const inner = deflateRawSync(TEXT)
    const next = {
      path: "b",
      flags: 0,
      method: 8,
      crc32: crc32(TEXT),
      bytes: TEXT.length,
      packedBytes: inner.length,
    }
    const quoted = localHeader(next)
    const block = Buffer.from([0, quoted.length, 0, ~quoted.length & 0xff, 0xff])
    const packed = Buffer.concat([block, quoted, inner])
    const content = Buffer.concat([quoted, TEXT])
    const zip = craftZip([
      { path: "a", content, packed },
      { path: "b", content: TEXT, offset: 31 + block.length },
    ])
    expect(() => listZip(zip, LIMITS)).toThrow(OVERLAP)
  })

  test("when a stored one contains another complete one", () => {
    const inner = craftZip([{ path: "b", content: TEXT }])
    const packed = inner.subarray(0, 31 + deflateRawSync(TEXT).length)
    const zip = craftZip([
      { path: "a", content: packed, packed, says: { method: 0 } },
      { path: "b", content: TEXT, offset: 31 },
    ])
    expect(() => listZip(zip, LIMITS)).toThrow(OVERLAP)
  })

  test("when there are thousands", () => {
    const limits = { maxEntries: 10_000, maxBytes: 2 ** 40 }
    const shared = { path: "a", content: Buffer.alloc(100_000) }
    const files = Array.from({ length: 5_000 }, (_, index) => ({
      ...shared,
      ...(index > 0 && { offset: 0 }),
    }))
    expect(() => listZip(craftZip(files), limits)).toThrow(InvalidZipError)
    expect(() => listZip(craftZip(files), { ...limits, maxEntries: 4_999 })).toThrow("more than 4999")
  })
})

describe("content that contradicts its zip is refused", () => {
  const zeros = Buffer.alloc(900_000)
  test.each<[string, CraftedFile]>([
    ["larger than it says", { path: "a", content: zeros, says: { bytes: 10_000 } }],
    ["smaller than it says", { path: "a", content: TEXT, says: { bytes: TEXT.length + 1 } }],
    ["of another check sum", { path: "a", content: TEXT, says: { crc32: 1 } }],
    [
      "of another check sum, stored",
      { path: "a", content: TEXT, packed: TEXT, says: { method: 0, crc32: 1 } },
    ],
    ["empty, of another check sum", { path: "a", content: Buffer.alloc(0), says: { crc32: 1 } }],
    ["no deflated data", { path: "a", content: TEXT, packed: Buffer.alloc(31, 0xff) }],
    [
      "deflated data that ends early",
      { path: "a", content: TEXT, packed: deflateRawSync(TEXT).subarray(0, -1) },
    ],
    [
      "deflated data with something behind it",
      { path: "a", content: TEXT, packed: Buffer.concat([deflateRawSync(TEXT), Buffer.from("x")]) },
    ],
    [
      "nothing where deflated data should be",
      { path: "a", content: Buffer.alloc(0), packed: Buffer.alloc(0) },
    ],
  ])("%s", async (_what, file) => {
    await expect(unpacked(craftZip([file]))).rejects.toThrow(InvalidZipError)
  })

  test("without unpacking more than one piece beyond the stated size", async () => {
    const [file] = listZip(craftZip([{ path: "a", content: zeros, says: { bytes: 10_000 } }]), LIMITS)
    let bytes = 0
    const read = async () => {
      if (file !== undefined) for await (const chunk of unpackFile(file)) bytes += chunk.length
    }
    await expect(read()).rejects.toThrow("The zip is damaged.")
    expect(bytes).toBeLessThanOrEqual(10_000)
  })

  test("when the zip was truncated anywhere, or any bit of it was flipped", async () => {
    const zip = pack({ a: [TEXT, { level: 9 }] })
    for (let length = 0; length < zip.length; length++) {
      expect(() => listZip(zip.subarray(0, length), LIMITS)).toThrow(InvalidZipError)
    }
    for (let at = 0; at < zip.length; at++) {
      const changed = Buffer.from(zip)
      changed[at] = (changed[at] ?? 0) ^ 1
      const files = await unpacked(changed).catch((error: unknown) => {
        expect(error).toBeInstanceOf(InvalidZipError)
        return []
      })
      // Times and attributes may change; what is unpacked is either the content or nothing.
      for (const [, content] of files) expect(content).toBe(TEXT.toString())
    }
  })
})

test.each([
  ["deflated", 9],
  ["stored", 0],
] as const)("yields to others while a large file is unpacked, %s", async (_what, level) => {
  const [file] = listZip(pack({ a: [Buffer.alloc(20_000_000), { level }] }), {
    ...LIMITS,
    maxBytes: 20_000_000,
  })
  if (file === undefined) throw new Error("There is no file")
  let turns = 0
  let isDone = false
  const turn = () => {
    turns++
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  for await (const _ of unpackFile(file));
  isDone = true
  expect(turns).toBeGreaterThan(20)
})

function pack(files: Zippable): Buffer {
  return Buffer.from(zipSync(files))
}

async function contentOf(file: PackedFile): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of unpackFile(file)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

async function unpacked(zip: Buffer): Promise<[string, string][]> {
  const files: [string, string][] = []
  for (const file of listZip(zip, LIMITS)) files.push([file.path, await contentOf(file)])
  return files
}

function refusal(act: () => unknown): unknown {
  try {
    act()
    return null
  } catch (error) {
    return error
  }
}
