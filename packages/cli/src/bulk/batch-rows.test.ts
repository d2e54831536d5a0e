import fc from "fast-check"
import { expect, test } from "vitest"
import { batchRows } from "./batch-rows.ts"
import type { TableRow } from "./table-row.ts"

const rowOf = (number: number, values: readonly string[], bytes = ""): TableRow => ({
  ...{ number, bytes, sizeBytes: bytes.length, problem: null },
  values: values.map((literal) => ({ start: 0, end: 0, literal, nameIndexes: [0] })),
})

async function* inPieces(rows: readonly TableRow[], size: number): AsyncGenerator<readonly TableRow[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size)
}

async function collect(rows: AsyncIterable<readonly TableRow[]>, limits: Parameters<typeof batchRows>[1]) {
  const batches: number[][] = []
  for await (const batch of batchRows(rows, limits)) batches.push(batch.map(({ number }) => number))
  return batches
}

const NO_LIMITS = { maxRows: 1_000, maxValues: 1_000, maxValueBytes: 1_000_000, maxRowBytes: 1_000_000 }

test("every row is in one batch, in order, and batches keep to the limits unless they are one row", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(4), fc.nat(30), fc.nat(30))),
      fc.integer({ min: 1, max: 6 }),
      async (sizes, piece) => {
        const rows = sizes.map(([values, length, bytes], index) =>
          rowOf(
            index,
            Array.from({ length: values }, () => "x".repeat(length)),
            "y".repeat(bytes),
          ),
        )
        const limits = { maxRows: 4, maxValues: 6, maxValueBytes: 50, maxRowBytes: 60 }
        const batches: (readonly TableRow[])[] = []
        for await (const batch of batchRows(inPieces(rows, piece), limits)) batches.push(batch)
        expect(batches.flat()).toEqual(rows)
        for (const batch of batches) {
          expect(batch.length).toBeGreaterThan(0)
          expect(batch.length).toBeLessThanOrEqual(limits.maxRows)
          if (batch.length === 1) continue
          const literals = batch.flatMap(({ values }) => values.map(({ literal }) => literal))
          expect(literals.length).toBeLessThanOrEqual(limits.maxValues)
          expect(literals.join(",").length).toBeLessThanOrEqual(limits.maxValueBytes)
          expect(batch.map(({ bytes }) => bytes).join("").length).toBeLessThanOrEqual(limits.maxRowBytes)
        }
      },
    ),
  ))

test("batches are as full as they may be", async () => {
  const rows = Array.from({ length: 7 }, (_, index) => rowOf(index, ["1"]))
  expect(await collect(inPieces(rows, 7), { ...NO_LIMITS, maxRows: 3 })).toEqual([[0, 1, 2], [3, 4, 5], [6]])
  expect(await collect(inPieces(rows, 2), { ...NO_LIMITS, maxValues: 2 })).toEqual([
    [0, 1],
    [2, 3],
    [4, 5],
    [6],
  ])
})

test("rows before the place where the source fails come out first", async () => {
  async function* failing(): AsyncGenerator<readonly TableRow[]> {
    yield [rowOf(1, []), rowOf(2, [])]
    throw new Error("cut")
  }
  const seen: number[] = []
  const reading = (async () => {
    for await (const batch of batchRows(failing(), NO_LIMITS)) seen.push(...batch.map(({ number }) => number))
  })()
  await expect(reading).rejects.toThrow("cut")
  expect(seen).toEqual([1, 2])
})
