import type { Item } from "@sealway/ports"
import * as z from "zod"
import { dueDailyChecks, isCheckedDaily, readDailyCheck } from "./daily-checks.ts"
import type { EnrolmentDependencies } from "./enrolled-kind.ts"
import { type EnrolledType, findDueAt } from "./enrolled-table.ts"
import { MAX_WAIT_MS, sendAgain } from "./messages.ts"
import {
  type EnrolmentWork,
  PENDING_ENROLMENT_PARTITIONS,
  type PendingEnrolment,
  pendingEnrolments,
  readPending,
} from "./pending-enrolments.ts"

/**
 * The types of records that are checked on time, though their time is further off than a message can wait: people wait for
 * them. A sweep queues what is due before the next one.
 */
const PUNCTUAL: ReadonlySet<EnrolledType> = new Set(["chargeback-alert"])

export interface RequeueEnrolmentsOptions {
  /**
   * How long something must be overdue before its message counts as lost. 0 when no message can exist, as when
   * in-memory queues start empty: then everything unsettled is looked at.
   */
  readonly overdueMs: number
}

type RequeueDependencies = Pick<EnrolmentDependencies, "paymentsTable" | "queues" | "wallClock" | "log">

/**
 * Queues unsettled, overdue records again, and those due for a daily check. Safe at any time: an extra message does
 * nothing. An unreadable record is logged and skipped, so that all others are handled.
 */
export async function requeueEnrolments(
  dependencies: RequeueDependencies,
  { overdueMs }: RequeueEnrolmentsOptions,
): Promise<void> {
  const { paymentsTable, queues, wallClock } = dependencies
  for (const partition of PENDING_ENROLMENT_PARTITIONS) {
    for await (const item of pendingEnrolments(paymentsTable, partition)) {
      const found = await readDue(item, dependencies, async () => {
        const pending = readPending(item)
        return { work: pending.work, dueAt: await dueAtOf(pending, dependencies) }
      })
      if (found === null) continue
      const waitMs = found.dueAt - wallClock()
      const isOverdue = overdueMs === 0 || -waitMs >= overdueMs
      if (isOverdue) await sendAgain(queues, found.work)
      else if (PUNCTUAL.has(found.work.type) && waitMs <= MAX_WAIT_MS) {
        await sendAgain(queues, found.work, waitMs)
      }
    }
  }
  for await (const item of dueDailyChecks(paymentsTable, { nowMs: wallClock(), isAll: overdueMs === 0 })) {
    const found = await readDue(item, dependencies, async () => {
      const work = readDailyCheck(item)
      return { work, dueAt: (await findDueAt(paymentsTable, work))?.dueAt ?? 0 }
    })
    // Removed records, and those no longer checked, are sent too: the worker removes their entries.
    if (found !== null && found.dueAt <= wallClock()) await sendAgain(queues, found.work)
  }
}

interface DueWork {
  readonly work: EnrolmentWork
  readonly dueAt: number
}

/** Returns null when it is unreadable. */
async function readDue(
  item: Item,
  dependencies: RequeueDependencies,
  read: () => Promise<DueWork>,
): Promise<DueWork | null> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    dependencies.log.warn("an enrolment cannot be read", { requestId: String(item.sk), error })
    return null
  }
}

/**
 * For a record that is settled or does not exist, the entry itself must be handled, and so it must for one that belongs
 * into the list of daily checks: its worker died before it moved it there.
 */
async function dueAtOf(
  { work, namedAt }: PendingEnrolment,
  { paymentsTable, wallClock }: Pick<EnrolmentDependencies, "paymentsTable" | "wallClock">,
): Promise<number> {
  const dueAt = (await findDueAt(paymentsTable, work))?.dueAt ?? namedAt
  const isMisplaced = isCheckedDaily(work.type) && dueAt > wallClock() + MAX_WAIT_MS
  return isMisplaced ? namedAt : Math.max(dueAt, namedAt)
}
