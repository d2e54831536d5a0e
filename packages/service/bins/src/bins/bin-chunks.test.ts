import { inflateRawSync } from "node:zlib"
import { KB } from "@sealway/kernel"
import { describe, expect, test } from "vitest"
import { packRows, row } from "../testing/bin-rows.ts"
import { unpackChunk } from "./bin-chunks.ts"

/** A three-byte character, as long as an issuer's name may be. */
const LONG_NAME = "銀".repeat(150)

const rowsFrom = (first: number, length: number, issuer: string) =>
  Array.from({ length }, (_, index) => ({ ...row(String(first + index)), issuer }))

describe("chunks of BIN rows", () => {
  test("hold 100 rows each, which stay what they are while later ones are packed", async () => {
    const rows = rowsFrom(4_000_000_000, 250, "Bank")
    const chunks = await packRows(rows)
    expect(chunks.map(({ first }) => first.from)).toEqual(["4000000000", "4000000100", "4000000200"])
    expect(chunks.flatMap(({ packed }) => unpackChunk(packed).rows)).toEqual(rows)
  })

  test("can each be read without the others, in any order", async () => {
    const rows = rowsFrom(4_000_000_000, 300, "Bank")
    const chunks = (await packRows(rows)).toReversed()
    expect(chunks.flatMap(({ packed }) => unpackChunk(packed).rows.toReversed())).toEqual(rows.toReversed())
  })

  test("are complete streams of DEFLATE", async () => {
    const [chunk] = await packRows(rowsFrom(4_000_000_000, 1, "Bank"))
    expect(JSON.parse(inflateRawSync(chunk?.packed ?? Buffer.of()).toString())).toMatchObject({ open: [] })
  })

  test("hold names in any script", async () => {
    const rows = rowsFrom(4_000_000_000, 30, LONG_NAME)
    expect((await packRows(rows)).flatMap(({ packed }) => unpackChunk(packed).rows)).toEqual(rows)
  })

  test("hold more open rows than one write of the compressor", async () => {
    const open = Array.from({ length: 300 }, () => row("400000", "499999", { issuer: LONG_NAME }))
    expect(Buffer.byteLength(JSON.stringify(open))).toBeGreaterThan(128 * KB)
    const rows = rowsFrom(4_000_000_000, 1, "Bank")
    const [chunk] = await packRows(rows, open)
    expect(unpackChunk(chunk?.packed ?? Buffer.of())).toEqual({ open, rows })
  })
})
