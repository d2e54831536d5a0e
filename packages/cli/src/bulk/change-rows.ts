import type { ByteString } from "./byte-string.ts"
import type { ChangedValue } from "./change-values.ts"
import type { FailedRow } from "./failure-lines.ts"
import type { RowFailure, TableFormat, TableRow } from "./table-row.ts"

/** What became of a row. */
export interface ChangedRow {
  /** Of the input. */
  readonly sizeBytes: number
  /** What is written in its place; empty when it failed. */
  readonly output: ByteString
  readonly failed: FailedRow | null
}

/** What became of a batch, in order. */
export interface ChangedBatch {
  readonly rows: readonly ChangedRow[]
  /** By column or selector, whether a row has a value there. */
  readonly found: readonly boolean[]
}

/** Puts other values in the place of those that are selected. A row fails as a whole when one of its values does. */
export async function changeRows(
  rows: readonly TableRow[],
  format: TableFormat,
  change: (literals: readonly ByteString[]) => Promise<readonly ChangedValue[]>,
): Promise<ChangedBatch> {
  const found = format.names.map(() => false)
  const literals: ByteString[] = []
  for (const { values } of rows) {
    for (const { literal, nameIndexes } of values) {
      literals.push(literal)
      for (const nameIndex of nameIndexes) found[nameIndex] = true
    }
  }
  const changed = await change(literals)
  let next = 0
  const changedRows = rows.map((row): ChangedRow => {
    const { number, sizeBytes, values, problem } = row
    const own = changed.slice(next, next + values.length)
    next += values.length
    if (problem === null && isAllChanged(own)) {
      return { sizeBytes, output: values.length === 0 ? row.bytes : format.render(row, own), failed: null }
    }
    const failure = problem ?? findFailure(row, own, format.names)
    return { sizeBytes, output: "", failed: { number, ...failure } }
  })
  return { rows: changedRows, found }
}

function isAllChanged(values: readonly ChangedValue[]): values is readonly ByteString[] {
  for (const value of values) if (typeof value !== "string") return false
  return true
}

/** Of a row of which one value at least has failed. */
function findFailure(
  { values }: TableRow,
  changed: readonly ChangedValue[],
  names: readonly string[],
): RowFailure {
  for (const [index, failure] of changed.entries()) {
    if (typeof failure === "string") continue
    const [nameIndex = -1] = values[index]?.nameIndexes ?? []
    return { ...failure, name: failure.name ?? names[nameIndex] ?? null }
  }
  throw new TypeError("No value of the row has failed")
}
