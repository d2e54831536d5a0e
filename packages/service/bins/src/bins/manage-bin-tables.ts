import type { Platform } from "@sealway/http"
import { ApiError, ConflictError, isId, NotFoundError } from "@sealway/kernel"
import { keepWithinLimit, type Table } from "@sealway/ports"
import { type AuditAuthor, audited } from "@sealway/records"
import type { ActiveBinTable, BinTable } from "./bin-table.ts"
import {
  createBinTable,
  findActive,
  findBinTable,
  listBinTables,
  noteLeftRows,
  removeBinTable,
  removeLeftRows,
  replaceActive,
  replaceBinTable,
} from "./bin-table-table.ts"
import { FIRST_ROW } from "./row-order.ts"

/** The maximum number of tables of a team. */
export const MAX_BIN_TABLES = 10

/** How long other processes may still use a replaced table: twice the lifetime of their caches. */
const SWAPPED_OUT_MS = 20_000

const TOO_MANY = `The team has ${MAX_BIN_TABLES} BIN tables, the maximum. Delete one first.`

export interface BinTableDependencies extends Pick<Platform, "audit" | "draws" | "wallClock"> {
  readonly paymentsTable: Table
  /**
   * The same table, for rows. Writing or removing rows again changes nothing, so repeated requests need no bookkeeping
   * for them.
   */
  readonly binRows: Table
}

/** A table, and whether it is active. */
export interface ShownBinTable extends BinTable {
  readonly isActive: boolean
}

export async function addBinTable(
  { paymentsTable, binRows, audit, draws, wallClock }: BinTableDependencies,
  teamId: string,
  name: string,
  author: AuditAuthor,
): Promise<ShownBinTable> {
  await removeLeftRows(binRows, teamId, wallClock())
  const isFull = (await listBinTables(paymentsTable, teamId)).length >= MAX_BIN_TABLES
  if (isFull) throw new ConflictError(TOO_MANY)
  const createdAt = wallClock()
  const id = draws.newId("bin_table", createdAt)
  const table: BinTable = {
    id,
    teamId,
    name,
    status: "importing",
    rows: 0,
    ...FIRST_ROW,
    writing: null,
    createdAt,
    updatedAt: createdAt,
    revision: 1,
  }
  return audited(audit, entryOf(table, "create", author), async () => {
    if (!(await createBinTable(paymentsTable, table))) throw new Error("The new table's id is taken")
    await keepWithinLimit({
      id,
      count: async () => {
        const ids = (await listBinTables(paymentsTable, teamId)).map((each) => each.id)
        return [{ ids, max: MAX_BIN_TABLES, refusal: TOO_MANY }]
      },
      undo: async () => {
        const found = await findBinTable(paymentsTable, teamId, id)
        return found === null || removeBinTable(paymentsTable, found)
      },
    })
    return { ...table, isActive: false }
  })
}

/** Finds a table. @throws NotFoundError when the team has no such table */
export async function requireBinTable(
  { paymentsTable }: Pick<BinTableDependencies, "paymentsTable">,
  teamId: string,
  id: string,
): Promise<BinTable> {
  const table = isId("bin_table", id) ? await findBinTable(paymentsTable, teamId, id) : null
  if (table === null) throw new NotFoundError("The BIN table")
  return table
}

/** Returns a table. @throws NotFoundError when the team has no such table */
export async function getBinTable(
  dependencies: Pick<BinTableDependencies, "paymentsTable">,
  teamId: string,
  id: string,
): Promise<ShownBinTable> {
  const [table, active] = await Promise.all([
    requireBinTable(dependencies, teamId, id),
    findActive(dependencies.paymentsTable, teamId),
  ])
  return { ...table, isActive: active?.active === id }
}

/** Lists all tables of a team, newest first. */
export async function allBinTables(
  { paymentsTable }: Pick<BinTableDependencies, "paymentsTable">,
  teamId: string,
): Promise<readonly ShownBinTable[]> {
  const [tables, active] = await Promise.all([
    listBinTables(paymentsTable, teamId),
    findActive(paymentsTable, teamId),
  ])
  return tables.map((table) => ({ ...table, isActive: active?.active === table.id }))
}

/**
 * Activates a table in place of the current one, which stays and can be activated again.
 *
 * Activating and deleting read and write the table and the active record in opposite orders, so that of two concurrent
 * calls one fails, and no deleted table is active.
 *
 * @throws NotFoundError when the team has no such table, ConflictError when it has no rows, is being written, or
 * another call activates or deletes one at the same time
 */
export async function activateBinTable(
  dependencies: BinTableDependencies,
  teamId: string,
  id: string,
  author: AuditAuthor,
): Promise<ShownBinTable> {
  const { paymentsTable, audit, wallClock } = dependencies
  const before = await findActive(paymentsTable, teamId)
  const table = await requireBinTable(dependencies, teamId, id)
  refuseActivation(table)
  if (before?.active === id) return { ...table, isActive: true }
  const entry = { ...entryOf(table, "activate", author), details: { rows: table.rows } }
  return audited(audit, entry, async () => {
    // From now on no row can be added.
    const complete: BinTable = { ...table, status: "complete", updatedAt: wallClock() }
    if (!(await replaceBinTable(paymentsTable, complete))) throw changedMeanwhile()
    const active: ActiveBinTable = {
      teamId,
      active: id,
      previous: before?.active ?? null,
      changedAt: wallClock(),
      revision: 1,
    }
    if (!(await replaceActive(paymentsTable, before, active))) throw changedMeanwhile()
    return { ...complete, isActive: true }
  })
}

function refuseActivation({ rows, writing }: BinTable): void {
  if (rows === 0) throw new ConflictError("The BIN table has no rows.")
  if (writing !== null) {
    throw new ConflictError(
      "Another request is adding rows, or was interrupted. Send the same rows again first.",
    )
  }
}

/**
 * Deletes a table and its rows. Rows left over, because this was interrupted or another request was adding some, are
 * removed when the team next creates or deletes a table.
 *
 * @throws NotFoundError when the team has no such table, ConflictError when it is active, or was a moment ago, or
 * another call changes it at the same time
 */
export async function deleteBinTable(
  dependencies: BinTableDependencies,
  teamId: string,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const { paymentsTable, binRows, audit, wallClock } = dependencies
  const table = await requireBinTable(dependencies, teamId, id)
  const active = await findActive(paymentsTable, teamId)
  if (active !== null) refuseDeletion(active, id, wallClock())
  await audited(audit, entryOf(table, "delete", author), async () => {
    await noteLeftRows(binRows, teamId, id, wallClock())
    // From now on a concurrent activation of the table fails.
    const none = { teamId, active: null, previous: null, changedAt: 0, revision: 1 }
    if (!(await replaceActive(paymentsTable, active, active ?? none))) throw changedMeanwhile()
    if (!(await removeBinTable(paymentsTable, table))) throw changedMeanwhile()
    // Again, because another call may have processed the mark while the table still existed.
    await noteLeftRows(binRows, teamId, id, wallClock())
    await removeLeftRows(binRows, teamId, wallClock())
  })
}

function refuseDeletion({ active, previous, changedAt }: ActiveBinTable, id: string, nowMs: number): void {
  if (active === id) throw new ConflictError("The BIN table is active. Activate another one first.")
  const waitMs = changedAt + SWAPPED_OUT_MS - nowMs
  if (previous !== id || waitMs <= 0) return
  throw new ApiError(
    "conflict",
    "Lookups may still use the BIN table for a few seconds. Try again shortly.",
    { headers: { "retry-after": String(Math.ceil(waitMs / 1000)) } },
  )
}

export function changedMeanwhile(): ConflictError {
  return new ConflictError("Another request is changing the BIN table. Try again.")
}

function entryOf({ teamId, id }: BinTable, verb: string, author: AuditAuthor) {
  return { ...author, teamId, appId: null, action: `bin-table.${verb}`, target: { type: "bin-table", id } }
}
