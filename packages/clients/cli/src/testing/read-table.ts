import type { BatchLimits, RowFailure, TableFormat, TableRows } from "../bulk/table-row.ts"
import { literalsOf } from "../bulk/values-document.ts"

export const WIDE_LIMITS: BatchLimits = {
  maxRows: 1_000,
  maxValues: 1_000_000,
  maxValueBytes: 1_000_000,
  maxRowBytes: 100_000_000,
}

/** A row in the form for tests. */
export interface ReadRow {
  readonly number: number
  readonly bytes: string
  readonly sizeBytes: number
  /** In Latin-1 for bytes. */
  readonly literals: readonly string[]
  readonly nameIndexes: readonly (readonly number[])[]
  readonly problem: RowFailure | null
}

/** Yields the bytes in chunks of a size. */
export async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export async function readBatches(
  format: TableFormat,
  chunks: AsyncIterable<Uint8Array>,
  limits = WIDE_LIMITS,
): Promise<readonly TableRows[]> {
  const batches: TableRows[] = []
  for await (const rows of format.readRows(chunks, 0, limits)) batches.push(rows)
  return batches
}

export function rowsOf(batches: readonly TableRows[]): readonly ReadRow[] {
  return batches.flatMap((rows) => {
    const literals = literalsOf(rows.values)
    return rows.ends.map((end, index) => {
      const start = rows.ends[index - 1] ?? 0
      const [from, to] = [rows.valueCounts[index - 1] ?? 0, rows.valueCounts[index]]
      return {
        number: rows.firstNumber + index,
        bytes: rows.bytes.toString("latin1", start, end),
        sizeBytes: end - start + rows.skippedBytes,
        literals: literals.slice(from, to),
        nameIndexes: rows.nameIndexes.slice(from, to),
        problem: rows.problems.get(index) ?? null,
      }
    })
  })
}

/** Renders the rows with their original values. */
export function renderSame(format: TableFormat, batches: readonly TableRows[]): Buffer {
  return Buffer.concat(batches.map((rows) => format.render(rows, 0, rows.ends.length, rows.values)))
}
