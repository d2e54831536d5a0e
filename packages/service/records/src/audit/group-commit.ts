import { setTimeout as delay } from "node:timers/promises"
import { createRandomIds } from "@sealway/kernel"
import { type AuditRecord, linkAuditRecords, type UnlinkedAuditRecord } from "./audit-chain.ts"
import {
  askForTurn,
  isFresh,
  placesOf,
  readGroup,
  readPlaces,
  recordsAt,
  type Waiting,
} from "./audit-group.ts"
import { type AuditTable, endOf, MAX_BLOCK } from "./audit-table.ts"

/** Writers that begin to wait within this time are a group. */
const SLOT_MS = 90
/** Over how long the members of a group wake up, one after the other: long, compared with the writing of a block. */
const SPREAD_MS_EACH = 5
const MIN_SPREAD_MS = 60
const MAX_SPREAD_MS = 190
/** A writer that wakes up in this part of the spread, divided by the root of the writers, is likely the first: it writes at once. */
const EARLY = 1.7
/** The others find nothing yet while the first is writing, so they look again after this time before they write too. */
const PATIENCE_MS = 20
const MAX_ROUNDS = 40
/** Fewer writers than this are no crowd: each may be slow. */
export const MIN_CROWD = 4
const ASK_AGAIN_MS = 1_000
/** An item has up to 400 KB. What one writer has more of than this, it writes alone. */
const MAX_SHARED_BYTES = 200_000
const TIME_DIGITS = 14
const ID_BYTES = 12

export interface GroupCommitDependencies {
  readonly table: AuditTable
  /** Epoch milliseconds. */
  readonly wallClock: () => number
  /** From 0 to 1, without 1. */
  readonly random: () => number
}

/** What became of records. */
export interface GroupCommit {
  readonly records: readonly AuditRecord[]
  /** How many writers were noticed, this one included: those of the group, and each who was faster with a block. */
  readonly writers: number
}

const nextId = createRandomIds(ID_BYTES)

/**
 * Appends records to a team's chain when many do so at once. One after the other, they would keep each other from it: each
 * needs the end of the chain to go on, and only one finds it unchanged.
 *
 * So a writer first keeps its records where all others see them, and sleeps until its group is complete and then for a
 * random time. Who wakes up first writes all of the group's records as one block, with a receipt that tells each member
 * where its own are. The others find them there.
 *
 * No record is written twice: whoever writes a block has read the end of the chain, and then the group. Of all blocks up to
 * that end, there are receipts (see `createAuditTable`), so what they contain is left out; and if the chain has grown since,
 * the block is refused. Nobody leads, and nothing depends on clocks: if a writer dies, another one of its group wakes up.
 * Records whose own writer has died may be written, or wait for ever; they were not acknowledged.
 *
 * @param writers how many were seen lately
 * @returns null when others were always faster, or the records have become too old (`MAX_WAIT_MS`)
 */
export async function commitInGroup(
  { table, wallClock, random }: GroupCommitDependencies,
  teamId: string,
  records: readonly UnlinkedAuditRecord[],
  writers: number,
): Promise<GroupCommit | null> {
  const nowMs = wallClock()
  if (!isFresh(records, nowMs)) return null
  const slot = Math.floor(nowMs / SLOT_MS)
  const waitingAt = (atMs: number): Waiting => ({
    id: `${String(atMs).padStart(TIME_DIGITS, "0")}-${nextId()}`,
    records: [...records],
  })
  const own = waitingAt(nowMs)
  await table.wait(teamId, slot, own)
  const spreadMs = (seen: number) => Math.min(Math.max(seen * SPREAD_MS_EACH, MIN_SPREAD_MS), MAX_SPREAD_MS)
  // Few wake up early, so that the block is there when most do.
  const turn = Math.sqrt(random())
  await delay((slot + 1) * SLOT_MS - nowMs + turn * spreadMs(writers))
  let askedAtMs = Number.NEGATIVE_INFINITY
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const looks = round > 0 ? 1 : turn < EARLY / Math.sqrt(writers) ? 0 : 2
    for (let look = 0; look < looks; look++) {
      if (look > 0) await delay(PATIENCE_MS)
      const told = await readPlaces(table, teamId, slot)
      const found = recordsAt(told, own)
      if (found !== null) return { records: found, writers: told.length }
    }

    const last = await table.lastBlock(teamId)
    const readAtMs = wallClock()
    const group = await readGroup(table, teamId, slot)
    const places = [...group.places, ...(last === null ? [] : placesOf(last))]
    const meanwhile = recordsAt(places, own)
    if (meanwhile !== null) return { records: meanwhile, writers: places.length }

    const isStillFresh = (waiting: Waiting) => isFresh(waiting.records, readAtMs)
    if (!isStillFresh(own)) return null
    const written = new Set(places.map(({ id }) => id))
    const members = membersOf(
      own,
      group.waiting.filter((waiting) => !written.has(waiting.id) && isStillFresh(waiting)),
    )
    const all = linkAuditRecords(
      members.flatMap((member) => member.records),
      endOf(last),
    )
    const block = {
      records: all,
      group: { slot, members: members.map(({ id, records }) => ({ id, count: records.length })) },
    }
    if (await table.create(block)) {
      const made = recordsAt(placesOf(block), own)
      return made && { records: made, writers: group.waiting.length + round }
    }
    // In a crowd, another one of the group is fast enough.
    if (round > 0 && group.waiting.length < MIN_CROWD && wallClock() - askedAtMs > ASK_AGAIN_MS) {
      askedAtMs = wallClock()
      await askForTurn(table, teamId, waitingAt(askedAtMs))
    }
    await delay(Math.sqrt(random()) * spreadMs(group.waiting.length))
  }
  return null
}

/** Returns whose records go into the next block, oldest first: as many as it holds, its writer's among them. */
function membersOf(own: Waiting, waiting: readonly Waiting[]): readonly Waiting[] {
  const members = [own]
  let [count, bytes] = [own.records.length, bytesOf(own)]
  for (const other of waiting) {
    const [moreRecords, moreBytes] = [count + other.records.length, bytes + bytesOf(other)]
    if (other.id === own.id || moreRecords > MAX_BLOCK || moreBytes > MAX_SHARED_BYTES) continue
    members.push(other)
    count = moreRecords
    bytes = moreBytes
  }
  return members.sort((left, right) => (left.id < right.id ? -1 : 1))
}

const bytesOf = ({ records }: Waiting) => Buffer.byteLength(JSON.stringify(records))
