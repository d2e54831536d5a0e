import { createHash } from "node:crypto"
import { ConflictError, InvalidRequestError, Pace, processTurns, type Work } from "@sealway/kernel"
import { type BinChunk, chunksOf } from "./bin-chunks.ts"
import type { BinRow } from "./bin-row.ts"
import type { BinTable } from "./bin-table.ts"
import { findBinTable, putChunk, replaceBinTable } from "./bin-table-table.ts"
import { type BinTableDependencies, changedMeanwhile, requireBinTable } from "./manage-bin-tables.ts"
import { passRow, type RowCursor, refuseRow } from "./row-order.ts"

/** The maximum number of rows of a table. */
export const MAX_ROWS = 5_000_000

const CHUNKS_AT_ONCE = 8
const ROWS_PER_STEP = 256

/**
 * Adds rows to a table that is being imported. Rows that it already has are skipped, so a request may be repeated.
 *
 * A request stores the hash of its rows before it writes any, so that after a crash only the same rows can take their
 * place.
 *
 * @param from how many rows precede the first one
 * @returns how many rows the table has now
 * @throws NotFoundError when the team has no such table
 * @throws InvalidRequestError naming a row that is out of order, or whose range overlaps another of the same length
 * @throws ConflictError when earlier rows are missing, the table was activated, or another request adds rows
 */
export async function appendRows(
  dependencies: BinTableDependencies,
  { teamId, tableId }: { readonly teamId: string; readonly tableId: string },
  from: number,
  given: readonly BinRow[],
): Promise<number> {
  const { paymentsTable, wallClock } = dependencies
  const table = await requireBinTable(dependencies, teamId, tableId)
  if (table.status !== "importing") {
    throw new ConflictError("The BIN table was activated before, and takes no more rows. Create another one.")
  }
  if (from > table.rows) {
    throw new ConflictError(`The BIN table has ${table.rows} rows. Send those from ${table.rows} on first.`)
  }
  const rows = given.slice(table.rows - from)
  if (rows.length === 0) return table.rows
  if (table.rows + rows.length > MAX_ROWS) {
    throw new ConflictError(`A BIN table takes ${MAX_ROWS.toLocaleString("en")} rows.`)
  }
  const { chunks, cursor, hash } = await processTurns.run(planChunks(table, rows, given.length - rows.length))
  const begun = await beginWriting(dependencies, table, hash)
  await putChunks(dependencies, tableId, chunks)
  const total = table.rows + rows.length
  const written: BinTable = { ...begun, rows: total, ...cursor, writing: null, updatedAt: wallClock() }
  if (await replaceBinTable(paymentsTable, written)) return total
  const standing = await findBinTable(paymentsTable, teamId, tableId)
  if (standing !== null && standing.rows >= total) return standing.rows
  throw changedMeanwhile()
}

/** @param skipped how many rows of the request precede these */
function* planChunks({ last, open }: BinTable, rows: readonly BinRow[], skipped: number): Work<Plan> {
  const pace = new Pace(ROWS_PER_STEP)
  const hash = createHash("sha256")
  let cursor: RowCursor = { last, open }
  for (const [index, row] of rows.entries()) {
    if (pace.isDue()) yield
    const reason = refuseRow(cursor, row)
    if (reason !== null) {
      throw new InvalidRequestError(reason, { fields: [{ pointer: `/${skipped + index}/from`, reason }] })
    }
    cursor = passRow(cursor, row)
    hash.update(`${JSON.stringify(row)}\n`)
  }
  const chunks: BinChunk[] = []
  for (const chunk of chunksOf(rows, { last, open })) {
    yield
    chunks.push(chunk)
  }
  const { from } = cursor.last ?? {}
  const end = { last: from === undefined ? null : { from }, open: cursor.open }
  return { chunks, cursor: end, hash: hash.digest("base64url") }
}

interface Plan {
  readonly chunks: readonly BinChunk[]
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
      "Another request adds rows, or did not end. Send the same rows again that it sent, or delete the BIN table.",
    )
  }
  const begun = { ...table, writing: hash }
  if (!(await replaceBinTable(paymentsTable, begun))) throw changedMeanwhile()
  return { ...begun, revision: table.revision + 1 }
}

async function putChunks(
  { binRows }: BinTableDependencies,
  tableId: string,
  chunks: readonly BinChunk[],
): Promise<void> {
  for (let index = 0; index < chunks.length; index += CHUNKS_AT_ONCE) {
    const some = chunks.slice(index, index + CHUNKS_AT_ONCE)
    await Promise.all(some.map((chunk) => putChunk(binRows, tableId, chunk)))
  }
}
