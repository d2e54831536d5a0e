import type { BinFile } from "@sealway/kernel/bin-file"
import { ApiError, putBinTableRows, type Transport } from "@sealway/sdk/api"
import { UsageFailure } from "../terminal/failures.ts"

/** Their garbage takes some MB. */
const BATCHES_PER_COLLECTION = 16

export interface Import {
  readonly service: Transport
  readonly tableId: string
  readonly file: BinFile
  /** How many rows the table already has. */
  readonly from: number
  readonly onProgress: (rows: number) => void
  /** Frees memory. */
  readonly collect: () => void
}

/**
 * Sends the records of a file to a BIN table, starting at a row. A failed request is retried; an interrupted import
 * resumes where the table ends.
 *
 * @throws UsageFailure when a record is no row, or the service refuses it, naming the record of the file
 */
export async function importFile({
  service,
  tableId,
  file,
  from,
  onProgress,
  collect,
}: Import): Promise<void> {
  if (from > file.size)
    throw new UsageFailure(`The table already has ${from} rows, but the file has only ${file.size}.`)
  for (let next = from, batches = 1; next < file.size; batches++) {
    const { lines, end } = file.batch(next)
    const rows = { binTableId: tableId, from: next, body: lines }
    await putBinTableRows(service, rows).catch((error: unknown) => {
      throw nameRecord(error, file, next)
    })
    next = end
    onProgress(next)
    if (batches % BATCHES_PER_COLLECTION === 0) collect()
  }
}

/** Rewrites a refusal of a request's line to name the record of the file. */
function nameRecord(error: unknown, file: BinFile, start: number): unknown {
  if (!(error instanceof ApiError)) return error
  const [field] = error.fields
  const refusal = field === undefined ? null : file.refusalOf(start, field)
  return refusal === null ? error : new UsageFailure(refusal, { cause: error })
}
