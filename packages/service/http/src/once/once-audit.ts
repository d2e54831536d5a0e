import type { Draws } from "@sealway/ports"
import {
  type AuditHistory,
  type AuditLog,
  type AuditRecord,
  type Events,
  MAX_WAIT_MS,
  publishAuditRecord,
} from "@sealway/records"

/** One attempt of a request. */
export interface Attempt {
  /** Epoch milliseconds when it started. */
  readonly at: number
  readonly requestId: string
}

export interface OnceAuditDependencies {
  readonly audit: AuditLog
  readonly auditHistory: AuditHistory
  readonly events: Pick<Events, "publish">
  /** For the ids of the records' events. */
  readonly createEventDraws: (record: Pick<AuditRecord, "seq">) => Pick<Draws, "newId">
  /** The attempts before this one. */
  readonly earlier: readonly Attempt[]
  /** The longest time an attempt may take. */
  readonly attemptMs: number
}

/** How far the clocks of two processes may differ. */
const CLOCK_SKEW_MS = 10_000
/** How much older than one before it a record can be. */
const DISORDER_MS = CLOCK_SKEW_MS + MAX_WAIT_MS
const FAILED = ".failed"

/** The audit log as seen by one request: what an earlier attempt recorded is not recorded again. */
export interface OnceAudit extends AuditLog {
  /** Whether an attempt began a change that is not known to have failed. */
  hasOpenRecord(teamId: string): Promise<boolean>
}

export function createOnceAudit(dependencies: OnceAuditDependencies): OnceAudit {
  const { audit, auditHistory, events, createEventDraws, earlier, attemptMs } = dependencies
  const eventIdOf = (record: AuditRecord) => createEventDraws(record).newId("webhook_event", record.at)
  const found = new Map<string, Promise<readonly AuditRecord[]>>()
  /** The last action that this attempt recorded, by subject. */
  const recorded = new Map<string, string>()

  function recordsOf(teamId: string): Promise<readonly AuditRecord[]> {
    const known = found.get(teamId) ?? findRecords(teamId)
    found.set(teamId, known)
    return known
  }

  /** Returns the records in the order in which they were written. */
  async function findRecords(teamId: string): Promise<readonly AuditRecord[]> {
    const own: AuditRecord[] = []
    for (const { at, requestId } of earlier) {
      for await (const record of auditHistory.since(teamId, at - DISORDER_MS)) {
        if (record.at > at + attemptMs + DISORDER_MS) break
        if (record.requestId === requestId) own.push(record)
      }
    }
    return own
  }

  return {
    async record(entry) {
      const { teamId, action, target } = entry
      const subject = subjectOf({ action, target })
      if (earlier.length > 0 && !recorded.has(subject)) {
        const last = (await recordsOf(teamId)).findLast((each) => subjectOf(each) === subject)
        if (last?.action === action) {
          recorded.set(subject, action)
          // The attempt that wrote it may have died before it published the event.
          if (entry.isQuiet !== true) await publishAuditRecord(events, last, eventIdOf)
          return
        }
      }
      recorded.set(subject, action)
      await audit.record(entry, eventIdOf)
    },
    read: (teamId, fromSeq) => audit.read(teamId, fromSeq),
    async hasOpenRecord(teamId) {
      const last = new Map<string, string>()
      for (const record of await recordsOf(teamId)) last.set(subjectOf(record), record.action)
      for (const [subject, action] of recorded) last.set(subject, action)
      return [...last.values()].some((action) => !action.endsWith(FAILED))
    },
  }
}

/** Identifies a change. Its failure has the same subject. */
function subjectOf({ action, target }: Pick<AuditRecord, "action" | "target">): string {
  const base = action.endsWith(FAILED) ? action.slice(0, -FAILED.length) : action
  return JSON.stringify([base, target.type, target.id])
}
