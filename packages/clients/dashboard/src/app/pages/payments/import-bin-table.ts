import { type BinFile, BinFileError, indexBinFile } from "@sealway/kernel/bin-file"
import {
  activateBinTable,
  type BinTable,
  createBinTable,
  deleteBinTable,
  getBinTable,
  putBinTableRows,
  type Transport,
} from "@sealway/sdk/api"
import { ApiError } from "@sealway/sdk/browser"

const MB = 1_024 * 1_024
/** The whole file is in memory. The command line imports larger ones. */
const MAX_FILE_BYTES = 64 * MB
const CHUNK_BYTES = MB
const DELIMITER = ","

/** How far an import has come. */
export interface ImportProgress {
  readonly step: "reading" | "sending"
  readonly done: number
  /** Records are counted while they are read: null until then. */
  readonly total: number | null
}

/** What gets the rows: a new table with this name, or the one with this id, whose import ended early. */
export type ImportTarget = { readonly name: string } | { readonly id: string }

export interface BinTableImport {
  readonly transport: Transport
  readonly file: Blob
  readonly target: ImportTarget
  readonly isActivated: boolean
  readonly signal: AbortSignal
  readonly onProgress: (progress: ImportProgress) => void
  /** Called before rows are sent, with the table that an interrupted import goes on with. */
  readonly onTable: (id: string) => void
}

/**
 * Sends a CSV file to a BIN table, some 64 KB of rows at a time. When the connection is lost, the table has the rows so
 * far, and the same file continues it. A new table of a file that is refused is deleted again: its rows would not match
 * those of the corrected file.
 *
 * @throws BinFileError when it is not CSV with a `from` column, or a record is no row: the message names it
 */
export async function importBinTable(given: BinTableImport): Promise<BinTable> {
  const { transport, target, isActivated, signal, onTable } = given
  const file = await readBinFile(given)
  const table =
    "id" in target
      ? await getBinTable(transport, { binTableId: target.id }, { signal })
      : await createBinTable(transport, { body: { name: target.name } })
  onTable(table.id)
  try {
    await sendRows(file, table, given)
  } catch (error) {
    if (error instanceof BinFileError && "name" in target) {
      await deleteBinTable(transport, { binTableId: table.id })
    }
    throw error
  }
  if (!isActivated) return { ...table, rows: file.size }
  return activateBinTable(transport, { binTableId: table.id }, { signal })
}

async function sendRows(
  file: BinFile,
  table: BinTable,
  { transport, signal, onProgress }: BinTableImport,
): Promise<void> {
  if (table.rows > file.size) {
    throw new BinFileError(`The table has ${table.rows} rows already, and the file only ${file.size}.`)
  }
  for (let from = table.rows; from < file.size; ) {
    onProgress({ step: "sending", done: from, total: file.size })
    const { lines, end } = file.batch(from)
    const rows = { binTableId: table.id, from, body: lines }
    await putBinTableRows(transport, rows, { signal }).catch((error: unknown) => {
      throw nameRecord(error, file, from)
    })
    from = end
  }
}

async function readBinFile({ file, signal, onProgress }: BinTableImport): Promise<BinFile> {
  if (file.size > MAX_FILE_BYTES) {
    throw new BinFileError(
      "The file is larger than 64 MB, which is too much for a page. Import it with: sealway bins import FILE.csv",
    )
  }
  const bytes = new Uint8Array(await file.arrayBuffer())
  const source = {
    chunks: chunksOf(bytes),
    bytes: ({ offset, length }: { readonly offset: number; readonly length: number }) =>
      bytes.subarray(offset, offset + length),
  }
  const indexing = indexBinFile(source, DELIMITER)
  let step = indexing.next()
  for (; step.done !== true; step = indexing.next()) {
    onProgress({ step: "reading", done: step.value, total: null })
    signal.throwIfAborted()
    // Lets the page show it.
    await new Promise((resolve) => setTimeout(resolve))
  }
  return step.value
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    yield bytes.subarray(start, start + CHUNK_BYTES)
  }
}

/** Rewrites a refusal of a request's line to name the record of the file. */
function nameRecord(error: unknown, file: BinFile, from: number): unknown {
  const [field] = error instanceof ApiError ? error.fields : []
  const refusal = field === undefined ? null : file.refusalOf(from, field)
  return refusal === null ? error : new BinFileError(refusal, { cause: error })
}
