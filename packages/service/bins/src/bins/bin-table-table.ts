import { processTurns, type Turns } from "@sealway/kernel"
import { type RecordKey, type Table, teamPartition } from "@sealway/ports"
import * as z from "zod"
import { type PackedChunk, unpackChunk } from "./bin-chunks.ts"
import { type BinRow, binRowSchema, lowestOf, MAX_BIN_DIGITS } from "./bin-row.ts"
import type { ActiveBinTable, BinTable } from "./bin-table.ts"
import { overlaps, type Window } from "./match-rows.ts"

const tableSchema = z.lazy(() =>
  z.object({
    id: z.string(),
    teamId: z.string(),
    name: z.string(),
    status: z.enum(["importing", "complete"]),
    rows: z.number(),
    last: z.object({ from: z.string() }).nullable(),
    open: z.array(binRowSchema),
    writing: z.string().nullable(),
    createdAt: z.number(),
    updatedAt: z.number(),
    revision: z.number(),
  }),
)

const activeSchema = z.lazy(() =>
  z.object({
    teamId: z.string(),
    active: z.string().nullable(),
    previous: z.string().nullable(),
    changedAt: z.number(),
    revision: z.number(),
  }),
)

const chunkSchema = z.lazy(() =>
  z.object({ sk: z.string(), packed: z.instanceof(Uint8Array), revision: z.number() }),
)

const TABLE = "bin-table#"
const ACTIVE = "bin-table-active"
const LEFT = "bin-rows-left#"
const CHUNK = "rows#"
/** Sorts after anything that follows a number in a key. */
const AFTER_DIGITS = "~"

const rowsPartition = (tableId: string): string => `bin-rows#${tableId}`
const keyOf = (teamId: string, id: string): RecordKey => ({ pk: teamPartition(teamId), sk: TABLE + id })
const activeKeyOf = (teamId: string): RecordKey => ({ pk: teamPartition(teamId), sk: ACTIVE })

/** Returns null when the team has no such table. */
export async function findBinTable(table: Table, teamId: string, id: string): Promise<BinTable | null> {
  const item = await table.get(keyOf(teamId, id))
  return item && tableSchema.parse(item)
}

/** Lists all tables of a team, newest first. */
export async function listBinTables(table: Table, teamId: string): Promise<readonly BinTable[]> {
  return (await table.list(teamPartition(teamId), TABLE)).map((item) => tableSchema.parse(item))
}

/** Returns false when there is one with this id. */
export function createBinTable(table: Table, record: BinTable): Promise<boolean> {
  return table.create(keyOf(record.teamId, record.id), { ...record })
}

/** Writes a table over the revision that it was made from. Returns false when that one was changed or removed first. */
export function replaceBinTable(table: Table, record: BinTable): Promise<boolean> {
  return table.replace(keyOf(record.teamId, record.id), { ...record }, record.revision)
}

/** Returns false when it was changed or removed first. */
export function removeBinTable(table: Table, { teamId, id, revision }: BinTable): Promise<boolean> {
  return table.remove(keyOf(teamId, id), revision)
}

/** Returns null when the team never activated a table. */
export async function findActive(table: Table, teamId: string): Promise<ActiveBinTable | null> {
  const item = await table.get(activeKeyOf(teamId))
  return item && activeSchema.parse(item)
}

/** Activates a table. Returns false when another call did so first. @param before the current record; null for none */
export function replaceActive(
  table: Table,
  before: ActiveBinTable | null,
  active: ActiveBinTable,
): Promise<boolean> {
  const key = activeKeyOf(active.teamId)
  return before === null
    ? table.create(key, { ...active })
    : table.replace(key, { ...active }, before.revision)
}

const tenDigits = (number: number): string => String(number).padStart(MAX_BIN_DIGITS, "0")

/** Chunks sort like their first rows: by the lowest number, then by the length of the range. No two rows share both. */
const chunkKeyOf = ({ from }: Pick<BinRow, "from">): string =>
  `${CHUNK}${tenDigits(lowestOf(from))}#${tenDigits(from.length)}`

/** Writes a chunk. Repeating it changes nothing. */
export async function putChunk(table: Table, tableId: string, { first, packed }: PackedChunk): Promise<void> {
  await table.put({ pk: rowsPartition(tableId), sk: chunkKeyOf(first) }, { packed, revision: 1 })
}

const FEW = 2
const MANY = 10

/**
 * Reads the rows of a table whose ranges include numbers of a window: usually with one query, and never more than the
 * window has rows.
 */
export async function readRows(
  table: Table,
  tableId: string,
  window: Window,
  turns: Pick<Turns, "next"> = processTurns,
): Promise<readonly BinRow[]> {
  const pk = rowsPartition(tableId)
  const found: BinRow[] = []
  const lowest = CHUNK + tenDigits(window.lowest) + AFTER_DIGITS
  let after = CHUNK + tenDigits(window.highest) + AFTER_DIGITS
  for (let limit = FEW; ; limit = MANY) {
    const { items, hasMore } = await table.page(pk, CHUNK, { limit, after })
    for (const item of items) {
      // A window may have thousands of rows, and reading them must not block all other requests.
      if (limit === MANY) await turns.next()
      const { sk, packed } = chunkSchema.parse(item)
      const { rows, open } = unpackChunk(packed)
      const isFirst = sk <= lowest
      const own = isFirst ? [...open, ...rows] : rows
      for (const row of own) if (overlaps(row, window)) found.push(row)
      if (isFirst) return found
      after = sk
    }
    if (!hasMore) return found
  }
}

const CHUNKS_PER_PAGE = 100
const REMOVALS_AT_ONCE = 16

async function removeChunks(table: Table, tableId: string): Promise<void> {
  const pk = rowsPartition(tableId)
  for (;;) {
    const { items, hasMore } = await table.page(pk, CHUNK, { limit: CHUNKS_PER_PAGE })
    const chunks = items.map((item) => chunkSchema.parse(item))
    for (let index = 0; index < chunks.length; index += REMOVALS_AT_ONCE) {
      const some = chunks.slice(index, index + REMOVALS_AT_ONCE)
      await Promise.all(some.map(({ sk, revision }) => table.remove({ pk, sk }, revision)))
    }
    if (!hasMore) return
  }
}

/** A request that adds rows may outlive its table by this time, and leave rows behind after they were removed. */
const STRAGGLERS_MS = 60 * 60_000

const leftSchema = z.lazy(() =>
  z.object({
    id: z.string(),
    /** Epoch milliseconds. */
    notedAt: z.number(),
    revision: z.number(),
  }),
)

const leftKeyOf = (teamId: string, id: string): RecordKey => ({ pk: teamPartition(teamId), sk: LEFT + id })

/** Marks a table's rows for removal. Call it before removing the table's record. */
export async function noteLeftRows(table: Table, teamId: string, id: string, nowMs: number): Promise<void> {
  await table.put(leftKeyOf(teamId, id), { id, notedAt: nowMs, revision: 1 })
}

/**
 * Removes the rows of a team's deleted tables. An existing table keeps its rows. Tables deleted less than an hour ago
 * are checked again the next time, because a request that was adding rows may have come late.
 */
export async function removeLeftRows(table: Table, teamId: string, nowMs: number): Promise<void> {
  for (const item of await table.list(teamPartition(teamId), LEFT)) {
    const { id, notedAt, revision } = leftSchema.parse(item)
    const isGone = (await findBinTable(table, teamId, id)) === null
    if (isGone) await removeChunks(table, id)
    if (!isGone || nowMs - notedAt > STRAGGLERS_MS) await table.remove(leftKeyOf(teamId, id), revision)
  }
}
