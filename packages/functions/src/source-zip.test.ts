import { strToU8, unzipSync, type Zippable, zipSync } from "fflate"
import { describe, expect, test } from "vitest"
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
const refusalOf = (zip: Uint8Array): unknown => {
  try {
    readSourceZip(zip)
    return null
  } catch (error) {
    return error
  }
}

describe("a zip of source", () => {
  test("gives its files, and leaves folders out", () => {
    const files = readSourceZip(zipOf({ "index.mjs": text("a"), "lib/b.mjs": text("b"), "empty/": text("") }))
    expect([...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString()])).toEqual([
      ["index.mjs", "a"],
      ["lib/b.mjs", "b"],
    ])
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
    ["a name that objects have", () => renamed("__proto_x", "__proto__")],
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
  ])("with %s is refused, pointing at the code", (_what, zip) => {
    expect(refusalOf(zip())).toMatchObject({ code: "invalid-request", fields: [{ pointer: "/code" }] })
  })

  test("may hold as much as is allowed, to the byte", () => {
    expect(readSourceZip(zipOf({ a: new Uint8Array(MAX_UNPACKED_BYTES) })).size).toBe(1)
    expect(readSourceZip(zipOf({ ["a".repeat(255)]: text() })).size).toBe(1)
  })

  test.each([
    ["node@24", "missing.mjs"],
    ["node@22", "main.py"],
    ["python@3.13", "index.mjs"],
    ["python@3.12", "missing.py"],
  ] as const)("without a handler of %s named %s is refused, pointing at the handler", (language, handler) => {
    const files = readSourceZip(zipOf({ "index.mjs": text(), "main.py": text() }))
    const refused = expect.objectContaining({
      code: "invalid-request",
      fields: [expect.objectContaining({ pointer: "/handler" })],
    })
    expect(() => requireHandler(files, language, handler)).toThrow(refused)
  })

  test.each(["index.mjs", "a.cjs", "lib/a.js"])("may have its handler in %s", (handler) => {
    requireHandler(readSourceZip(zipOf({ [handler]: text() })), "node@24", handler)
  })
})

describe("the zip that is deployed", () => {
  test("has the customer's files and the wrapper's, readable, and is the same each time", () => {
    const files = readSourceZip(zipOf({ "lib/main.py": text("def handler(payload, context): return 1") }))
    const zip = writeDeploymentZip(files, "python@3.13", "lib/main.py")
    expect(Buffer.from(writeDeploymentZip(files, "python@3.13", "lib/main.py")).equals(zip)).toBe(true)
    const names = Object.keys(unzipSync(zip))
    expect(names).toEqual(expect.arrayContaining(["lib/main.py", "__sealway__/runtime.py"]))
  })
})

function broken(): Uint8Array {
  const zip = zipOf({ a: [text("abcabcabcabcabc".repeat(50)), { level: 9 }] })
  return zip.fill(0xff, 35, 45)
}

/** A zip with a file of another name, of the same length, that zipping would not write. */
function renamed(from: string, to: string): Uint8Array {
  const zip = Buffer.from(zipOf({ [from]: text("1"), "index.mjs": text("2") }))
  return Buffer.from(zip.toString("latin1").replaceAll(from, to), "latin1")
}
