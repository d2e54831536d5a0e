import type { ChangedValues } from "./change-values.ts"
import type { FailedRow } from "./failure-lines.ts"
import type { RowFailure, TableFormat, TableRows } from "./table-row.ts"
import type { ValuesDocument } from "./values-document.ts"

const NO_BYTES = Buffer.alloc(0)

/** The result for consecutive rows: all are done, or the only one failed. */
export interface ChangedRows {
  readonly count: number
  /** Their size in the input. */
  readonly sizeBytes: number
  /** The changed bytes; empty when the row failed. */
  readonly output: Buffer
  readonly failed: FailedRow | null
}

/** The result for a batch, in order. */
export interface ChangedBatch {
  readonly parts: readonly ChangedRows[]
  /** By column or selector, whether a row has a value there. */
  readonly found: readonly boolean[]
}

/** Replaces the selected values. A row fails as a whole when any of its values does. */
export async function changeRows(
  rows: TableRows,
  format: TableFormat,
  change: (values: ValuesDocument) => Promise<ChangedValues>,
): Promise<ChangedBatch> {
  const found = format.names.map(() => false)
  for (const indexes of new Set(rows.nameIndexes)) for (const index of indexes) found[index] = true
  const { values, failures } = await change(rows.values)
  const failed = findFailedRows(rows, failures, format.names)
  const parts: ChangedRows[] = []
  const addDone = (from: number, to: number) => {
    if (from === to) return
    const sizeBytes = (rows.ends[to - 1] ?? 0) - (rows.ends[from - 1] ?? 0)
    parts.push({ count: to - from, sizeBytes, output: format.render(rows, from, to, values), failed: null })
  }
  let next = 0
  for (const [index, row] of failed) {
    addDone(next, index)
    const sizeBytes = (rows.ends[index] ?? 0) - (rows.ends[index - 1] ?? 0) + rows.skippedBytes
    parts.push({ count: 1, sizeBytes, output: NO_BYTES, failed: row })
    next = index + 1
  }
  addDone(next, rows.ends.length)
  return { parts, found }
}

/** Returns failed rows by index, in order, each with its first reason. */
function findFailedRows(
  { problems, valueCounts, nameIndexes, firstNumber }: TableRows,
  failures: ChangedValues["failures"],
  names: readonly string[],
): ReadonlyMap<number, FailedRow> {
  const failed = new Map<number, FailedRow>()
  if (problems.size === 0 && failures.size === 0) return failed
  let value = 0
  for (const [row, valueEnd] of valueCounts.entries()) {
    let failure: RowFailure | null = problems.get(row) ?? null
    for (; value < valueEnd; value++) {
      const own = failures.get(value)
      if (own === undefined || failure !== null) continue
      const [nameIndex = -1] = nameIndexes[value] ?? []
      failure = { ...own, name: own.name ?? names[nameIndex] ?? null }
    }
    if (failure !== null) failed.set(row, { number: firstNumber + row, ...failure })
  }
  return failed
}
