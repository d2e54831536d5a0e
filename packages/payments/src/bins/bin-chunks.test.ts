import { KB } from "@sealway/kernel"
import { describe, expect, test } from "vitest"
import { row } from "../testing/bin-rows.ts"
import { ChunkPacker, type PackedChunk, unpackChunk } from "./bin-chunks.ts"

/** A three-byte character, as long as an issuer's name may be. */
const LONG_NAME = "銀".repeat(150)
/** What the compressor's own buffer holds. */
const BUFFER_BYTES = 128 * KB

function pack(rows: readonly ReturnType<typeof row>[], open: readonly ReturnType<typeof row>[] = []) {
  const packer = new ChunkPacker()
  const chunks: (PackedChunk | null)[] = rows.map((each) => packer.add(each, JSON.stringify(each), open))
  return [...chunks, packer.end()].filter((chunk) => chunk !== null)
}

const rowsFrom = (first: number, length: number, issuer: string) =>
  Array.from({ length }, (_, index) => ({ ...row(String(first + index)), issuer }))

describe("chunks of BIN rows", () => {
  test("hold 100 rows each, which stay what they are while later ones are packed", () => {
    const rows = rowsFrom(4_000_000_000, 250, "Bank")
    const chunks = pack(rows)
    expect(chunks.map(({ first }) => first.from)).toEqual(["4000000000", "4000000100", "4000000200"])
    expect(chunks.flatMap(({ packed }) => unpackChunk(packed).rows)).toEqual(rows)
  })

  test("hold names in any script", () => {
    const rows = rowsFrom(4_000_000_000, 30, LONG_NAME)
    expect(pack(rows).flatMap(({ packed }) => unpackChunk(packed).rows)).toEqual(rows)
  })

  test("hold more open rows than the compressor's buffer has room for", () => {
    const open = Array.from({ length: 300 }, () => row("400000", "499999", { issuer: LONG_NAME }))
    expect(Buffer.byteLength(JSON.stringify(open))).toBeGreaterThan(BUFFER_BYTES)
    const rows = rowsFrom(4_000_000_000, 1, "Bank")
    const [chunk] = pack(rows, open)
    expect(unpackChunk(chunk?.packed ?? Buffer.of())).toEqual({ open, rows })
  })
})
