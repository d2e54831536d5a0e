import { describe, expect, test } from "vitest"
import { type BinFile, BinFileError, indexBinFile } from "./bin-file.ts"

/** Reads a text as a file that comes in chunks of some bytes. */
function read(text: string | Uint8Array, chunkBytes = 7): BinFile {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
    bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  )
  const indexing = indexBinFile(
    { chunks, bytes: ({ offset, length }) => bytes.subarray(offset, offset + length) },
    ",",
  )
  let step = indexing.next()
  while (step.done !== true) step = indexing.next()
  return step.value
}

const rowsOf = (file: BinFile): readonly unknown[] =>
  file
    .batch(0)
    .lines.trim()
    .split("\n")
    .map((line) => JSON.parse(line))

describe("a file of BIN data", () => {
  test("is sorted by the lowest number of each range, the shorter prefix first, with empty cells left out", () => {
    const file = read(
      '\ufefffrom,to,brand,issuer,note\n42424299,,visa,,x\n400000,400009,visa,"A, B",\n424242,,visa,,\n',
    )
    expect(file).toMatchObject({ size: 3, unknownColumns: ["note"] })
    expect(rowsOf(file)).toEqual([
      { from: "400000", to: "400009", brand: "visa", issuer: "A, B" },
      { from: "424242", to: "424242", brand: "visa" },
      { from: "42424299", to: "42424299", brand: "visa" },
    ])
  })

  test("is sent in batches of some 64 KB that follow each other", () => {
    const count = 2_000
    const file = read(
      `from,brand\n${Array.from({ length: count }, (_, index) => `${400_000 + index},visa`).join("\n")}`,
      4_096,
    )
    const first = file.batch(0)
    expect(first.lines.length).toBeGreaterThan(64 * 1_024)
    expect(first.lines.length).toBeLessThan(65 * 1_024)
    const second = file.batch(first.end)
    expect(second.end).toBe(count)
    expect((first.lines + second.lines).trim().split("\n")).toHaveLength(count)
  })

  test("names the record of a refused line by its place in the file", () => {
    const file = read("from,brand\n500000,maestro\n400000,visa\n")
    expect(file.refusalOf(0, { pointer: "/1/brand", reason: "Unknown." })).toBe("Record 1, brand: Unknown.")
    expect(file.refusalOf(1, { pointer: "/0", reason: "Unknown." })).toBe("Record 1: Unknown.")
    expect(file.refusalOf(0, { pointer: "/name", reason: "Unknown." })).toBeNull()
  })

  test.each([
    ["nothing", ""],
    ["a header alone", "from,brand\n"],
    ["no column from", "to,brand\n400000,visa\n"],
    ["a column twice", "from,brand,from\n400000,visa,1\n"],
    ["a range that is none", "from,brand\n40000,visa\n"],
    ["quotes that do not end", 'from,brand\n400000,"visa\n'],
    ["another encoding", Buffer.from("from,issuer\n400000,Soci\xe9t\xe9\n", "latin1")],
    ["a record of more than 16 KB", `from,issuer\n400000,${"a".repeat(17_000)}\n`],
  ])("is refused with %s", (_, text) => {
    expect(() => read(text)).toThrow(BinFileError)
  })

  test.each([
    ["too few cells", "from,brand\n400000\n"],
    ["a cell that must be JSON and is none", "from,fastFunds\n400000,{\n"],
  ])("is refused with a record of %s, which the message names", (_, text) => {
    const file = read(text)
    expect(() => file.batch(0)).toThrow(/^Record 1/)
  })
})
