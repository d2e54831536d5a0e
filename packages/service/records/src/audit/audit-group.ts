import type { Item, RecordKey, Table } from "@sealway/ports"
import * as z from "zod"
import {
  type AuditRecord,
  auditRecordSchema,
  linkAuditRecords,
  type UnlinkedAuditRecord,
} from "./audit-chain.ts"

/** How many items of a group are read at most. Receipts come first, so it is records that are left for the next block. */
const MAX_READ = 1_000
/** How many records a process writes at once. */
export const MAX_BATCH = 50
/**
 * How old a record may be when it becomes part of the chain. So no record is older by more than this than one before it,
 * apart from what clocks differ. Who looks for records by time counts on that.
 */
export const MAX_WAIT_MS = 10_000
const SEQ_DIGITS = 12

const unlinkedSchema = z.lazy(() =>
  auditRecordSchema.unwrap().omit({ id: true, seq: true, previousHash: true, hash: true }),
)
export const waitingSchema = z.object({
  /** Sorts by time; nobody else has it. */
  id: z.string().min(1).max(64),
  records: z.array(unlinkedSchema).min(1).max(MAX_BATCH),
})
export const groupSchema = z.object({
  /** When its records began to wait: the number of a time slot. Slots have items of their own. */
  slot: z.int().nonnegative(),
  /** Whose records are in the block, in its order, and how many of each. */
  members: z.array(z.object({ id: z.string().max(64), count: z.int().positive() })).min(1),
})
const placeSchema = z.object({
  id: z.string(),
  /** The record before the member's first one. */
  after: z.object({ seq: z.int().nonnegative(), hash: z.string() }),
  /** The hash of its last one. */
  hash: z.string(),
})
const receiptSchema = z.object({ places: z.array(placeSchema) })

/** Records of one writer that wait to become part of a block. */
export type Waiting = z.infer<typeof waitingSchema>
/** Whose records a block has. */
export type AuditGroup = z.infer<typeof groupSchema>
/** Where a member's records are in the chain. */
export type Place = z.infer<typeof placeSchema>

/** Records that are written together, each linked to the one before it. */
export interface AuditBlock {
  readonly records: readonly AuditRecord[]
  /** Whose they are, when several writers waited for the block. */
  readonly group?: AuditGroup | undefined
}

const WAITING_PREFIX = "waiting#"
/** Behind the other, so that receipts are read first. */
const RECEIPT_PREFIX = "written#"

/** The partitions of groups. Those of teams have the chain. */
export const GROUP_PREFIX = "audit-group#"
const groupPartition = (teamId: string, slot: number) => `${GROUP_PREFIX}${teamId}#${slot}`

export const waitingKey = (teamId: string, slot: number, id: string): RecordKey => ({
  pk: groupPartition(teamId, slot),
  sk: WAITING_PREFIX + id,
})

/** The first slot, of 1970: no group uses it. A writer that asks for a turn leaves its records there too. */
const ASKING_SLOT = 0
/** How long such a request counts. */
const ASKING_MS = 2_000

/** Asks processes that write one block after the other for a turn that is long enough for a slow writer. */
export function askForTurn(
  table: { wait(teamId: string, slot: number, waiting: Waiting): Promise<void> },
  teamId: string,
  asking: Waiting,
): Promise<void> {
  return table.wait(teamId, ASKING_SLOT, asking)
}

/** Whether a writer has asked for a turn within `ASKING_MS`. */
export async function isTurnAsked(
  table: Pick<Table, "page">,
  teamId: string,
  nowMs: number,
): Promise<boolean> {
  const { items } = await table.page(groupPartition(teamId, ASKING_SLOT), WAITING_PREFIX, { limit: 1 })
  const waiting = waitingSchema.safeParse(items[0]).data
  return waiting !== undefined && Math.abs(nowMs - Number(waiting.id.split("-")[0])) < ASKING_MS
}

/** Returns the key of a block's receipt; null for a block of one writer. */
export function receiptKey({ group, records: [first] }: AuditBlock): RecordKey | null {
  if (group === undefined || first === undefined) return null
  const sk = RECEIPT_PREFIX + String(first.seq).padStart(SEQ_DIGITS, "0")
  return { pk: groupPartition(first.teamId, group.slot), sk }
}

/** Whether records may become part of a chain. @param nowMs a time when its end was already known */
export function isFresh(records: readonly UnlinkedAuditRecord[], nowMs: number): boolean {
  return records.every(({ at }) => nowMs - at <= MAX_WAIT_MS)
}

/** Returns where a block has the records of its members. */
export function placesOf({ group, records }: AuditBlock): readonly Place[] {
  let next = 0
  return (group?.members ?? []).flatMap(({ id, count }) => {
    const first = records[next]
    next += count
    const last = records[next - 1]
    if (first === undefined || last === undefined) return []
    return [{ id, after: { seq: first.seq - 1, hash: first.previousHash }, hash: last.hash }]
  })
}

/** Reads what a group's receipts say. */
export async function readPlaces(
  table: Pick<Table, "page">,
  teamId: string,
  slot: number,
): Promise<readonly Place[]> {
  const { items } = await table.page(groupPartition(teamId, slot), RECEIPT_PREFIX, { limit: MAX_READ })
  return items.flatMap((item) => receiptSchema.parse(item).places)
}

/**
 * Reads a group: what its receipts say, and what waits or has waited, oldest first. Leaves out what waits and cannot be
 * read, such as records of another version: its writer writes it itself. A receipt that was left out could let records be
 * written twice, so one that cannot be read is an error.
 */
export async function readGroup(table: Pick<Table, "page">, teamId: string, slot: number) {
  const { items } = await table.page(groupPartition(teamId, slot), "", { limit: MAX_READ })
  const isReceipt = ({ sk }: Item) => String(sk).startsWith(RECEIPT_PREFIX)
  return {
    places: items.filter(isReceipt).flatMap((item) => receiptSchema.parse(item).places),
    waiting: items
      .filter((item) => !isReceipt(item))
      .flatMap((item) => waitingSchema.safeParse(item).data ?? [])
      .toReversed(),
  }
}

/**
 * Returns a member's records as they are in the chain; null when no place shows them. The hashes are computed again, so that
 * nobody can make a writer believe that its records are there when others are.
 */
export function recordsAt(places: readonly Place[], { id, records }: Waiting): readonly AuditRecord[] | null {
  for (const place of places) {
    if (place.id !== id) continue
    const linked = linkAuditRecords(records, place.after)
    if (linked.at(-1)?.hash === place.hash) return linked
  }
  return null
}
