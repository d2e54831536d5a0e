import { createHash } from "node:crypto"
import { ConflictError, formatCount, invalidField, type Task, type Work, waitFor } from "@sealway/kernel"
import { ChunkCompressor, ChunkWriter, type PackedChunk, type WrittenChunk } from "./bin-chunks.ts"
import type { BinTable } from "./bin-table.ts"
import { findBinTable, putChunk, replaceBinTable } from "./bin-table-table.ts"
import { type BinTableDependencies, changedMeanwhile, requireBinTable } from "./manage-bin-tables.ts"
import { readBinRows } from "./read-bin-rows.ts"
import { passRow, type RowCursor, refuseRow } from "./row-order.ts"

/** The maximum number of rows of a table. */
export const MAX_ROWS = 5_000_000

const CHUNKS_AT_ONCE = 8

/**
 * Adds rows to a table that is being imported. Rows that it already has are skipped, so a request may be repeated.
 *
 * A request stores the hash of its rows before it writes any, so that after a crash only the same rows can take their
 * place.
 *
 * @param from how many rows precede the first one
 * @param lines one row each
 * @param task of the request: has the memory for its rows
 * @returns how many rows the table has now
 * @throws NotFoundError when the team has no such table
 * @throws InvalidRequestError naming a line that is not a row, a row that is out of order, or whose range overlaps another
 * of the same length
 * @throws ConflictError when earlier rows are missing, the table was activated, or another request adds rows
 */
export async function appendRows(
  dependencies: BinTableDependencies,
  { teamId, tableId }: { readonly teamId: string; readonly tableId: string },
  from: number,
  lines: Buffer,
  task: Task,
): Promise<number> {
  const { paymentsTable, wallClock } = dependencies
  const table = await requireBinTable(dependencies, teamId, tableId)
  if (table.status !== "importing") {
    throw new ConflictError("The BIN table has been activated and accepts no more rows. Create another one.")
  }
  if (from > table.rows) {
    throw new ConflictError(
      `The BIN table has only ${table.rows} rows. Send the rows that follow them first.`,
    )
  }
  const { chunks, rows, cursor, hash } = await task.run(planInSteps(table, lines, table.rows - from, task))
  if (rows === 0) return table.rows
  const total = table.rows + rows
  const begun = await beginWriting(dependencies, table, hash)
  await putChunks(dependencies, tableId, chunks)
  const written: BinTable = { ...begun, rows: total, ...cursor, writing: null, updatedAt: wallClock() }
  if (await replaceBinTable(paymentsTable, written)) return total
  const standing = await findBinTable(paymentsTable, teamId, tableId)
  if (standing !== null && standing.rows >= total) return standing.rows
  throw changedMeanwhile()
}

/**
 * What a request's rows take while they are put into chunks, for each of their bytes: their texts, and the objects of one
 * chunk. An estimate.
 */
const HELD_PER_BYTE = 4

function* planInSteps(table: BinTable, lines: Buffer, known: number, task: Task): Work<Plan> {
  yield* waitFor(task.reserve(HELD_PER_BYTE * lines.length))
  return yield* planChunks(table, lines, known)
}

/** @param known how many of the first rows the table already has */
function* planChunks(table: BinTable, lines: Buffer, known: number): Work<Plan> {
  const hash = createHash("sha256")
  const writer = new ChunkWriter()
  const chunks: WrittenChunk[] = []
  let cursor: RowCursor = table
  let index = 0
  for (const row of readBinRows(lines)) {
    if (row === null) yield
    else if (index++ >= known) {
      const reason = refuseRow(cursor, row)
      if (reason !== null) {
        throw invalidField(`/${index - 1}/from`, reason)
      }
      const text = JSON.stringify(row)
      hash.update(`${text}\n`)
      const chunk = writer.add(row, text, cursor.open)
      cursor = passRow(cursor, row)
      if (chunk !== null) {
        chunks.push(chunk)
        yield
      }
    }
  }
  const rest = writer.end()
  if (rest !== null) chunks.push(rest)
  const rows = Math.max(index - known, 0)
  if (table.rows + rows > MAX_ROWS) {
    throw new ConflictError(`A BIN table can have at most ${formatCount(MAX_ROWS)} rows.`)
  }
  const { last, open } = cursor
  return { chunks, rows, hash: hash.digest("base64url"), cursor: { last: last && { from: last.from }, open } }
}

interface Plan {
  readonly chunks: readonly WrittenChunk[]
  /** How many rows are new. */
  readonly rows: number
  /** The position after the last row. */
  readonly cursor: RowCursor
  readonly hash: string
}

/** Stores the hash of the rows that are written next. */
async function beginWriting(
  { paymentsTable }: BinTableDependencies,
  table: BinTable,
  hash: string,
): Promise<BinTable> {
  if (table.writing === hash) return table
  if (table.writing !== null) {
    throw new ConflictError(
      "Another request is adding rows, or was interrupted. Send the same rows as that request again, or delete the BIN table.",
    )
  }
  const begun = { ...table, writing: hash }
  if (!(await replaceBinTable(paymentsTable, begun))) throw changedMeanwhile()
  return { ...begun, revision: table.revision + 1 }
}

async function putChunks(
  { binRows }: BinTableDependencies,
  tableId: string,
  chunks: readonly WrittenChunk[],
): Promise<void> {
  const compressor = new ChunkCompressor()
  try {
    for (let index = 0; index < chunks.length; index += CHUNKS_AT_ONCE) {
      const packed: PackedChunk[] = []
      for (const chunk of chunks.slice(index, index + CHUNKS_AT_ONCE)) {
        packed.push(await compressor.compress(chunk))
      }
      await Promise.all(packed.map((chunk) => putChunk(binRows, tableId, chunk)))
    }
  } finally {
    compressor.close()
  }
}
