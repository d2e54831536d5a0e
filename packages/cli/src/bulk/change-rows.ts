import type { ByteString } from "./byte-string.ts"
import type { ChangedValue } from "./change-values.ts"
import type { FailedRow } from "./failure-lines.ts"
import type { TableFormat, TableRow } from "./table-row.ts"

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
    const own = changed.slice(next, next + row.values.length)
    next += row.values.length
    const { number, sizeBytes } = row
    const failure = row.problem ?? findFailure(row, own, format.names)
    if (failure !== null) return { sizeBytes, output: "", failed: { number, ...failure } }
    const texts = own.filter((value) => typeof value === "string")
    return { sizeBytes, output: format.render(row, texts), failed: null }
  })
  return { rows: changedRows, found }
}

function findFailure({ values }: TableRow, changed: readonly ChangedValue[], names: readonly string[]) {
  const index = changed.findIndex((value) => typeof value !== "string")
  const failure = changed[index]
  if (failure === undefined || typeof failure === "string") return null
  const [nameIndex = -1] = values[index]?.nameIndexes ?? []
  return { ...failure, name: failure.name ?? names[nameIndex] ?? null }
}
