import type { TableRow } from "./table-row.ts"

/** What one request holds at most. A row that is larger by itself makes a batch of one. */
export interface BatchLimits {
  readonly maxRows: number
  readonly maxValues: number
  /** Of the values that are sent, not of the rows. */
  readonly maxValueBytes: number
  /** Of the rows, which are kept until their values have come back. */
  readonly maxRowBytes: number
}

/** Joins rows to batches, in order. */
export async function* batchRows(
  rows: AsyncIterable<readonly TableRow[]>,
  { maxRows, maxValues, maxValueBytes, maxRowBytes }: BatchLimits,
): AsyncGenerator<readonly TableRow[]> {
  let batch: TableRow[] = []
  let values = 0
  let valueBytes = 0
  let rowBytes = 0
  const isOver = () => values > maxValues || valueBytes > maxValueBytes || rowBytes > maxRowBytes
  const count = (row: TableRow) => {
    values += row.values.length
    for (const { literal } of row.values) valueBytes += literal.length + 1
    rowBytes += row.bytes.length
  }
  const start = () => {
    batch = []
    values = valueBytes = rowBytes = 0
  }
  try {
    for await (const some of rows) {
      for (const row of some) {
        count(row)
        if (batch.length === maxRows || (batch.length > 0 && isOver())) {
          yield batch
          start()
          count(row)
        }
        batch.push(row)
      }
    }
  } catch (error) {
    // What can no longer be read does not take the rows before it along.
    if (batch.length > 0) yield batch
    throw error
  }
  if (batch.length > 0) yield batch
}
