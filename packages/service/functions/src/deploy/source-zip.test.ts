import { strToU8, unzipSync, type Zippable, zipSync } from "fflate"
import { describe, expect, test } from "vitest"
import { craftZip } from "../testing/crafted-zip.ts"
import {
  MAX_FILES,
  MAX_UNPACKED_BYTES,
  MAX_ZIP_BYTES,
  readSourceZip,
  requireHandler,
  writeDeploymentZip,
} from "./source-zip.ts"

const text = (content = "x") => strToU8(content)
const zipOf = (files: Zippable) => zipSync(files)
const refusalOf = (zip: Uint8Array): Promise<unknown> =>
  readSourceZip(zip).then(
    () => null,
    (error: unknown) => error,
  )

describe("a zip of source", () => {
  test("is parsed into its files, without folders", async () => {
    const zip = zipOf({ "index.mjs": text("a"), "lib/b.mjs": text("b"), "empty/": text("") })
    expect([...(await readSourceZip(zip)).keys()]).toEqual(["index.mjs", "lib/b.mjs"])
  })

  test.each<[string, () => Uint8Array]>([
    ["nothing", () => new Uint8Array()],
    ["text", () => text("this is no zip, however long it may be, and it never was one")],
    ["half a zip", () => zipOf({ a: text("x".repeat(1000)) }).subarray(0, 60)],
    ["a zip whose data is broken", () => broken()],
    ["a name that leads out", () => zipOf({ "../a": text() })],
    ["a name that leads out further in", () => zipOf({ "a/../../b": text() })],
    ["an absolute name", () => zipOf({ "/etc/passwd": text() })],
    ["a backslash", () => zipOf({ "..\\a": text() })],
    ["a control character", () => zipOf({ "a\nb": text() })],
    ["the wrapper's folder", () => zipOf({ "__sealway__/runtime.mjs": text() })],
    ["a name of 256 characters", () => zipOf({ ["a".repeat(256)]: text() })],
    ["two files of one name", () => renamed("index.mjz", "index.mjs")],
    [
      "too many files",
      () =>
        zipOf(
          Object.fromEntries(Array.from({ length: MAX_FILES + 1 }, (_, index) => [`f${index}`, text("")])),
        ),
    ],
    ["more than it may hold unpacked", () => zipOf({ a: new Uint8Array(MAX_UNPACKED_BYTES), b: text() })],
    ["more bytes than can be sent", () => new Uint8Array(MAX_ZIP_BYTES + 1)],
    ["entries that share their bytes", () => overlapping()],
    [
      "a file that is larger than it says",
      () => craftZip([{ path: "a", content: ZEROS, says: { bytes: 9_999 } }]),
    ],
    ["a wrong check sum", () => craftZip([{ path: "a", says: { crc32: 1 } }])],
    ["thousands of lies about sizes", () => craftZip(lies(4_000))],
  ])("with %s is refused, with a pointer to the code", async (_what, zip) => {
    expect(await refusalOf(zip())).toMatchObject({ code: "invalid-request", fields: [{ pointer: "/code" }] })
  })

  test("may hold exactly the maximum number of bytes", async () => {
    expect((await readSourceZip(zipOf({ a: new Uint8Array(MAX_UNPACKED_BYTES) }))).size).toBe(1)
    expect((await readSourceZip(zipOf({ ["a".repeat(255)]: text() }))).size).toBe(1)
  })

  test("yields to others while it is read, however large it is", async () => {
    const zip = zipOf({ a: new Uint8Array(MAX_UNPACKED_BYTES) })
    expect(zip.length).toBeLessThan(100_000)
    expect(await turnsDuring(() => readSourceZip(zip))).toBeGreaterThan(50)
    const many = zipOf(
      Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`f${index}`, text("x".repeat(500))])),
    )
    expect(await turnsDuring(() => readSourceZip(many))).toBeGreaterThan(50)
  })

  test.each([
    ["node@24", "missing.mjs"],
    ["node@22", "main.py"],
    ["python@3.13", "index.mjs"],
    ["python@3.12", "missing.py"],
  ] as const)(
    "without a handler of %s named %s is refused, with a pointer to the handler",
    async (language, handler) => {
      const files = await readSourceZip(zipOf({ "index.mjs": text(), "main.py": text() }))
      const refused = expect.objectContaining({
        code: "invalid-request",
        fields: [expect.objectContaining({ pointer: "/handler" })],
      })
      expect(() => requireHandler(files, language, handler)).toThrow(refused)
    },
  )

  test.each(["index.mjs", "a.cjs", "lib/a.js"])("may have its handler in %s", async (handler) => {
    requireHandler(await readSourceZip(zipOf({ [handler]: text() })), "node@24", handler)
  })
})

describe("the deployed zip", () => {
  const code = "def handler(payload, context): return 1"
  const sources = { "lib/main.py": text(code), "é.txt": [text("stored"), { level: 0 }] } satisfies Zippable

  test("has the customer's files and the wrapper's, and is identical each time", async () => {
    const files = await readSourceZip(zipOf(sources))
    const zip = await writeDeploymentZip(files, "python@3.13", "lib/main.py")
    const again = await writeDeploymentZip(files, "python@3.13", "lib/main.py")
    expect(Buffer.from(again).equals(zip)).toBe(true)
    const unpacked = unzipSync(zip)
    expect(Object.keys(unpacked)).toContain("__sealway__/runtime.py")
    expect(Buffer.from(unpacked["lib/main.py"] ?? []).toString()).toBe(code)
    expect(Buffer.from(unpacked["é.txt"] ?? []).toString()).toBe("stored")
  })

  test("holds packed files unchanged", async () => {
    const source = zipOf({ "main.py": text(code), data: new Uint8Array(MAX_UNPACKED_BYTES / 2) })
    const files = await readSourceZip(source)
    const zip = await writeDeploymentZip(files, "python@3.13", "main.py")
    expect(zip.length).toBeLessThan(source.length + 100_000)
  })
})

const ZEROS = Buffer.alloc(1_000_000)

function overlapping(): Uint8Array {
  const inner = craftZip([{ path: "b" }])
  const packed = inner.subarray(0, inner.indexOf("PK\x01\x02"))
  return craftZip([
    { path: "a", content: packed, packed, says: { method: 0 } },
    { path: "b", offset: 31 },
  ])
}

/** Builds a zip of files that each unpack to a hundred times their stated size. */
function lies(count: number) {
  const content = Buffer.alloc(100_000)
  return Array.from({ length: count }, (_, index) => ({ path: `f${index}`, content, says: { bytes: 1_000 } }))
}

async function turnsDuring(act: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  const turn = () => {
    turns++
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  await act()
  isDone = true
  return turns
}

function broken(): Uint8Array {
  const zip = zipOf({ a: [text("abcabcabcabcabc".repeat(50)), { level: 9 }] })
  return zip.fill(0xff, 35, 45)
}

/** Builds a zip with a file renamed, to a name of the same length, that a zip writer would not write. */
function renamed(from: string, to: string): Uint8Array {
  const zip = Buffer.from(zipOf({ [from]: text("1"), "index.mjs": text("2") }))
  return Buffer.from(zip.toString("latin1").replaceAll(from, to), "latin1")
}
