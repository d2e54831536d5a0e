import type { BinFile } from "@sealway/kernel/bin-file"
import * as z from "zod"
import { readAnswer } from "../service/answers.ts"
import type { Call, ServiceClient } from "../service/service-client.ts"
import { ServiceRefusal, UsageFailure } from "../terminal/failures.ts"

const rowsSchema = z.object({ rows: z.number() })

/** Their garbage takes some MB. */
const BATCHES_PER_COLLECTION = 16

export interface Import {
  readonly service: ServiceClient
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
    const bytes = new TextEncoder().encode(lines)
    const call: Call = {
      method: "PUT",
      path: ["payments", "bin-tables", tableId, "rows"],
      query: { from: String(next) },
      body: { contentType: "application/x-ndjson", bytes },
      // The position of the rows makes the request safe to repeat: the service skips those that it has.
      writes: false,
    }
    const response = await service.send(call).catch((error: unknown) => {
      throw nameRecord(error, file, next)
    })
    await readAnswer(response, rowsSchema)
    next = end
    onProgress(next)
    if (batches % BATCHES_PER_COLLECTION === 0) collect()
  }
}

/** Rewrites a refusal of a request's line to name the record of the file. */
function nameRecord(error: unknown, file: BinFile, start: number): unknown {
  if (!(error instanceof ServiceRefusal)) return error
  const [field] = error.problem.fields ?? []
  const refusal = field === undefined ? null : file.refusalOf(start, field)
  return refusal === null ? error : new UsageFailure(refusal, { cause: error })
}
