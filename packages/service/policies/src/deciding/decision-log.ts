import { randomUUID } from "node:crypto"
import type { Clocks } from "@sealway/kernel"
import type { Table } from "@sealway/ports"
import { contextKey, type DecisionRecord, minuteOf } from "../records/decision-record.ts"
import { type DecisionSegment, putDecisionSegment, STRETCH_MS } from "../records/decision-record-table.ts"
import type { DecisionContext } from "../rules/decision.ts"

/** Records contexts of decisions, so that other policies can be tried on them. */
export interface DecisionLog {
  /** Counts a decision in memory. From time to time the counts are written; no caller waits for it. */
  note(appId: string, role: string, context: DecisionContext, decision: DecisionRecord["decision"]): void
  /** Writes the counts. */
  flush(): Promise<void>
}

export interface DecisionLogDependencies extends Clocks {
  readonly table: Pick<Table, "put">
  /** Called when a write failed: the counts stay in memory and are written the next time. */
  readonly onFailure: (error: unknown) => void
}

const WRITE_EVERY_MS = 10_000
const WRITES_AT_ONCE = 10
const MAX_RECORDS = 250
/** How many segments one app may have per stretch of time. Decisions beyond them are counted as dropped. */
const MAX_SEGMENTS = 4
const MAX_APPS = 500

/** A segment that is being filled. */
interface OpenSegment extends Omit<DecisionSegment, "records" | "dropped"> {
  /** The position of the segment among those of its app and stretch. */
  readonly number: number
  readonly counts: Map<string, DecisionRecord>
  dropped: number
  /** How many changes it had, and how many of them have been written. */
  changes: number
  written: number
}

const isUnwritten = ({ changes, written }: OpenSegment) => changes > written

/**
 * Creates a decision log. Equal decisions within a minute become one record, to which requests add in memory. The first
 * request after some seconds writes the segments, without waiting. A frozen process keeps them; a process that ends
 * loses the last seconds: the records are for trying policies, and are not the audit log.
 */
export function createDecisionLog({
  table,
  now,
  wallClock,
  onFailure,
}: DecisionLogDependencies): DecisionLog {
  const apps = new Map<string, OpenSegment[]>()
  let writing: Promise<void> | null = null
  let writtenAt = now()

  function openSegment(appId: string, stretchStartMs: number, number: number): OpenSegment {
    const id = randomUUID()
    const segment = {
      appId,
      id,
      stretchStartMs,
      number,
      counts: new Map(),
      dropped: 0,
      changes: 0,
      written: 0,
    }
    const unwritten = apps.get(appId)?.filter(isUnwritten) ?? []
    if (!apps.has(appId) && apps.size >= MAX_APPS) {
      const [oldest] = apps.keys()
      if (oldest !== undefined) apps.delete(oldest)
    }
    apps.set(appId, [...unwritten.slice(-MAX_SEGMENTS), segment])
    return segment
  }

  function segmentFor(appId: string, timeMs: number, key: string): OpenSegment {
    const stretchStartMs = Math.floor(timeMs / STRETCH_MS) * STRETCH_MS
    const last = apps.get(appId)?.at(-1)
    if (last?.stretchStartMs !== stretchStartMs) return openSegment(appId, stretchStartMs, 0)
    const hasRoom = last.counts.has(key) || last.counts.size < MAX_RECORDS
    return hasRoom || last.number + 1 >= MAX_SEGMENTS
      ? last
      : openSegment(appId, stretchStartMs, last.number + 1)
  }

  async function write(segment: OpenSegment): Promise<void> {
    const { appId, id, stretchStartMs, counts, dropped, changes } = segment
    await putDecisionSegment(table, { appId, id, stretchStartMs, dropped, records: [...counts.values()] })
    segment.written = changes
  }

  async function writeAll(): Promise<void> {
    const unwritten = [...apps.values()].flat().filter(isUnwritten)
    while (unwritten.length > 0) {
      await Promise.all(unwritten.splice(0, WRITES_AT_ONCE).map(write))
    }
    const nowMs = wallClock()
    for (const [appId, segments] of apps) {
      const isOver = segments.every((each) => !isUnwritten(each) && each.stretchStartMs + STRETCH_MS <= nowMs)
      if (isOver) apps.delete(appId)
    }
  }

  function startWriting(): Promise<void> {
    writtenAt = now()
    const done = writeAll().finally(() => {
      writing = null
    })
    writing = done
    return done
  }

  return {
    note(appId, role, context, decision) {
      const timeMs = wallClock()
      const minuteMs = minuteOf(timeMs)
      const key = JSON.stringify([role, minuteMs, decision, contextKey(context)])
      const segment = segmentFor(appId, timeMs, key)
      const known = segment.counts.get(key)
      segment.changes++
      if (known === undefined && segment.counts.size >= MAX_RECORDS) segment.dropped++
      else segment.counts.set(key, { role, context, minuteMs, decision, count: (known?.count ?? 0) + 1 })
      if (writing === null && now() - writtenAt >= WRITE_EVERY_MS) startWriting().catch(onFailure)
    },

    async flush() {
      if (writing !== null) await writing.catch(() => {})
      await startWriting()
    },
  }
}
