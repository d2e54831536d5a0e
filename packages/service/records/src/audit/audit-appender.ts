import { setTimeout as delay } from "node:timers/promises"
import { ApiError, createBoundedMap } from "@sealway/kernel"
import {
  type AuditRecord,
  type ChainHead,
  linkAuditRecords,
  type UnlinkedAuditRecord,
} from "./audit-chain.ts"
import { type AuditBlock, isFresh, isTurnAsked } from "./audit-group.ts"
import { endOf } from "./audit-table.ts"
import { commitInGroup, type GroupCommitDependencies, MIN_CROWD } from "./group-commit.ts"

const MAX_TEAMS = 1_000
/** How often a writer tries by itself: the first time, it may remember an old end of the chain. */
const MAX_ALONE = 3
/** How long a writer expects a crowd after it has seen one. */
const CROWD_MS = 2_000
/** How many are expected by who has only lost to others. */
const CROWD_IN_DOUBT = 30
/** For how long, after it has lost to others, a writer leaves them gaps, and how long these are. */
const RIVALS_MS = 5_000
const GAP_MS = 30
/**
 * For how long a writer that knows of no others goes on without a gap, and how long it rests then. It learns of others only
 * when they win, and without a rest the fastest always wins: a member of a group needs four calls for what takes it one.
 */
const TURN_MS = 250
const REST_MS = 50
/** How long it rests when a slow writer asks for a turn: enough for several calls of the table that take 50 ms. */
const LONG_REST_MS = 500

/** What a process remembers of a team's log. Times are in epoch milliseconds. */
interface Memory {
  /** The end of the chain, if this process wrote it. */
  readonly head: ChainHead | null
  readonly writtenAtMs: number
  /** When it was last in a group, lost to others, or left them a gap. */
  readonly rivalsAtMs: number
  /** When it last read the end of the chain, had nothing to write, or rested. */
  readonly turnAtMs: number
  readonly crowd: { readonly writers: number; readonly seenAtMs: number } | null
}

const NOTHING: Memory = {
  head: null,
  writtenAtMs: 0,
  rivalsAtMs: Number.NEGATIVE_INFINITY,
  turnAtMs: 0,
  crowd: null,
}

/**
 * Appends at most `MAX_BLOCK` records to a team's chain.
 *
 * @throws ApiError `service-unavailable` when others are always faster, or the records have waited for longer than
 * `MAX_WAIT_MS`
 */
export type AuditAppender = (
  teamId: string,
  records: readonly UnlinkedAuditRecord[],
) => Promise<readonly AuditRecord[]>

/** Creates what appends records to chains: one call of the table for a lone writer, and together with others in a crowd. */
export function createAuditAppender(dependencies: GroupCommitDependencies): AuditAppender {
  const { table, wallClock, random } = dependencies
  const memories = createBoundedMap<Memory>(MAX_TEAMS)
  const recall = (teamId: string) => memories.get(teamId) ?? NOTHING
  const note = (teamId: string, known: Partial<Memory>) =>
    memories.set(teamId, { ...recall(teamId), ...known })

  /** Returns the end of a chain; null when a crowd writes to it. */
  async function headOf(teamId: string): Promise<ChainHead | null> {
    const { head, writtenAtMs, rivalsAtMs, turnAtMs } = recall(teamId)
    if (head === null) {
      const last = await table.lastBlock(teamId)
      note(teamId, { turnAtMs: wallClock() })
      return isOfCrowd(last, wallClock()) ? null : endOf(last)
    }
    const nowMs = wallClock()
    const sinceMs = Math.abs(nowMs - writtenAtMs)
    if (sinceMs >= GAP_MS) {
      note(teamId, { turnAtMs: nowMs })
      return head
    }
    // A process that writes one block after the other is always ahead of those that must read the chain's end first.
    const hasRivals = writtenAtMs - rivalsAtMs < RIVALS_MS
    const isTurnOver = Math.abs(nowMs - turnAtMs) >= TURN_MS
    const isAsked = isTurnOver && (await isTurnAsked(table, teamId, nowMs))
    if (isAsked) await delay(LONG_REST_MS)
    else if (hasRivals) await delay(GAP_MS - sinceMs)
    else if (isTurnOver) await delay(REST_MS)
    if (isTurnOver) note(teamId, { turnAtMs: wallClock() })
    // Who cannot be ahead shows nothing of it: so gaps end only when they are not needed.
    if (hasRivals) note(teamId, { rivalsAtMs: wallClock() })
    return head
  }

  /** @returns null when others were always faster, or are a crowd already, or the records are too old */
  async function appendAlone(teamId: string, records: readonly UnlinkedAuditRecord[]) {
    for (let attempt = 0; attempt < MAX_ALONE; attempt++) {
      const head = await headOf(teamId)
      if (head === null || !isFresh(records, wallClock())) return null
      const block = { records: linkAuditRecords(records, head) }
      note(teamId, { head: null })
      if (await table.create(block)) {
        note(teamId, { head: endOf(block), writtenAtMs: wallClock() })
        return block.records
      }
      note(teamId, { rivalsAtMs: wallClock() })
      await delay(random() * 2 ** attempt)
    }
    return null
  }

  return async (teamId, records) => {
    const nowMs = wallClock()
    const { crowd } = recall(teamId)
    const isCrowd = crowd !== null && Math.abs(nowMs - crowd.seenAtMs) < CROWD_MS
    const alone = isCrowd ? null : await appendAlone(teamId, records)
    if (alone !== null) return alone

    const expected = isCrowd ? crowd.writers : CROWD_IN_DOUBT
    const committed = await commitInGroup(dependencies, teamId, records, expected)
    if (committed === null) {
      throw new ApiError("service-unavailable", "The audit log is busy. Try again shortly.", {
        headers: { "retry-after": "1" },
      })
    }
    const { writers } = committed
    const seenAtMs = wallClock()
    note(teamId, { rivalsAtMs: seenAtMs, crowd: writers < MIN_CROWD ? null : { writers, seenAtMs } })
    return committed.records
  }
}

/** Whether many write to a chain at this time, by its last block. */
function isOfCrowd(last: AuditBlock | null, nowMs: number): boolean {
  const writers = last?.group?.members.length ?? 0
  return writers >= MIN_CROWD && Math.abs(nowMs - (last?.records.at(-1)?.at ?? 0)) < CROWD_MS
}
