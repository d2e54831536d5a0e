import { KB } from "@sealway/kernel"
import * as z from "zod"
import { readAnswer } from "../service/answers.ts"
import type { Call, ServiceClient } from "../service/service-client.ts"
import { ServiceRefusal, UsageFailure } from "../terminal/failures.ts"
import type { IndexedFile } from "./index-file.ts"
import { rowOfCells } from "./row-of-cells.ts"

const rowsSchema = z.object({ rows: z.number() })

/** The size of a request. Small enough that the service and the command need little memory. */
const MAX_BATCH_BYTES = 64 * KB
/** Their garbage takes some MB. */
const BATCHES_PER_COLLECTION = 16

export interface Import {
  readonly service: ServiceClient
  readonly tableId: string
  readonly file: IndexedFile
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
 * @throws UsageFailure when the service refuses a row, naming the record of the file
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
    const { bytes, end } = batchOf(file, next)
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

function batchOf(
  file: IndexedFile,
  start: number,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly end: number } {
  const lines: string[] = []
  let characters = 0
  let place = start
  for (; place < file.size && characters < MAX_BATCH_BYTES; place++) {
    const line = JSON.stringify(rowOfCells(file.columns, file.cells(place), file.recordNumber(place)))
    lines.push(line)
    characters += line.length + 1
  }
  return { bytes: new TextEncoder().encode(`${lines.join("\n")}\n`), end: place }
}

/** Rewrites a refusal of a request's line to name the record of the file. */
function nameRecord(error: unknown, file: IndexedFile, start: number): unknown {
  if (!(error instanceof ServiceRefusal)) return error
  const [field] = error.problem.fields ?? []
  const line = /^\/([0-9]+)(?:\/|$)/.exec(field?.pointer ?? "")
  if (field === undefined || line === null) return error
  const name = field.pointer.slice(line[0].length)
  const record = file.recordNumber(start + Number(line[1]))
  return new UsageFailure(`Record ${record}${name && `, ${name}`}: ${field.reason}`, { cause: error })
}
