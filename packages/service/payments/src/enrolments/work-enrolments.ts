import type { App } from "@sealway/accounts"
import { askNetwork } from "./ask-network.ts"
import { isCheckedDaily, nameDailyCheck, removeDailyCheck } from "./daily-checks.ts"
import type { EnrolledKind, EnrolmentDependencies } from "./enrolled-kind.ts"
import { dueAtOf, type EnrolledRecord } from "./enrolled-record.ts"
import type { EnrolmentDecision } from "./enrolment.ts"
import { MAX_WAIT_MS, sendAgain } from "./messages.ts"
import {
  ABANDONED_MS,
  type EnrolmentWork,
  findPending,
  namePending,
  type PendingEnrolment,
  removePending,
} from "./pending-enrolments.ts"
import { tellChange, withUntoldChange } from "./tell-change.ts"

/** How many steps one message may cause. The rest is left to the next one. */
const MAX_STEPS = 8
/**
 * How long a deleted record is stored when a network does not accept its withdrawals, for example because there is no
 * connector.
 */
const DELETED_KEPT_MS = 30 * 24 * 60 * 60_000

/**
 * Does what is due for a record: asks the networks about enrolments, sends withdrawals, publishes changes, and removes
 * a deleted record once everything is withdrawn. The record decides; a message is only a wake-up call. However often
 * this runs, wherever it dies, each enrolment is requested with one reference and each change published as one event.
 *
 * @throws Error when the message must be retried
 */
export async function workEnrolments<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  work: EnrolmentWork,
  dependencies: EnrolmentDependencies,
): Promise<void> {
  const { directory, queues } = dependencies
  const app = await directory.app(work.appId)
  if (app === null) throw new Error("The app of a record of payments does not exist")
  for (let step = 0; step < MAX_STEPS; step++) {
    if ((await takeStep(kind, app, work, dependencies)) === "settled") return
  }
  await sendAgain(queues, work)
}

async function takeStep<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  app: App,
  work: EnrolmentWork,
  dependencies: EnrolmentDependencies,
): Promise<"settled" | "again"> {
  const { paymentsTable, wallClock, cardNetworkOf, log } = dependencies
  // The entry first: a later entry belongs to a later write of the record.
  const named = await findPending(paymentsTable, work.id)
  const found = await kind.table.find(dependencies, app, work.id)
  if (found === null) {
    if (isCheckedDaily(kind.type)) await removeDailyCheck(paymentsTable, work)
    return forgetAbandoned(kind, app, named, dependencies)
  }
  const record = await tellChange(kind, app, found, dependencies)
  if (record === null) return "again"
  const dueAt = dueAtOf(record)
  if (dueAt === null || dueAt > wallClock()) {
    // Not before it is written: the network's next report may be written instead.
    if (kind.isEnded?.(record.details)) await kind.release?.(record, app, dependencies)
    return settle(kind, record, named, dueAt, work, dependencies)
  }
  if (isOver(record, wallClock())) {
    await kind.release?.(record, app, dependencies)
    if (isCheckedDaily(kind.type)) await removeDailyCheck(paymentsTable, work)
    if (!(await kind.table.remove(dependencies, record))) return "again"
    if (named !== null) await removePending(paymentsTable, named)
    return "settled"
  }
  const asked = await askNetwork(kind, app, record, {
    ...dependencies,
    network: cardNetworkOf(app),
    onSetback: (error) => log.warn("could not reach a card network", { requestId: record.id, error }),
  })
  const changed = await withUntoldChange(kind, record, asked, dependencies)
  if (named === null) await namePending(paymentsTable, work, wallClock(), record.revision + 1)
  // If it was changed meanwhile, the record says what to do now; asking again is safe.
  await kind.table.replace(dependencies, app, changed)
  return "again"
}

/** Nothing is due now: has the record looked at when something is. */
async function settle<Details, Decision extends EnrolmentDecision>(
  { type }: EnrolledKind<Details, Decision>,
  record: EnrolledRecord<Details>,
  named: PendingEnrolment | null,
  dueAt: number | null,
  work: EnrolmentWork,
  { paymentsTable, queues, wallClock }: EnrolmentDependencies,
): Promise<"settled"> {
  if (dueAt === null) {
    if (isCheckedDaily(type)) await removeDailyCheck(paymentsTable, work)
    await removeSettled(named, record, { paymentsTable, wallClock })
    return "settled"
  }
  const waitMs = dueAt - wallClock()
  if (isCheckedDaily(type) && waitMs > MAX_WAIT_MS) {
    await nameDailyCheck(paymentsTable, work)
    await removeSettled(named, record, { paymentsTable, wallClock })
    return "settled"
  }
  // What is due later than a message can wait is left to the sweeper.
  if (waitMs <= MAX_WAIT_MS) await sendAgain(queues, work, waitMs)
  return "settled"
}

/** Leaves an entry that belongs to a write still to come. */
async function removeSettled(
  named: PendingEnrolment | null,
  record: Pick<EnrolledRecord<unknown>, "revision">,
  { paymentsTable, wallClock }: Pick<EnrolmentDependencies, "paymentsTable" | "wallClock">,
): Promise<void> {
  const isWritten = named !== null && named.revision <= record.revision
  if (isWritten || isAbandoned(named, wallClock())) await removePending(paymentsTable, named)
}

/** A record that is just being created does not exist yet either. */
async function forgetAbandoned<Details, Decision extends EnrolmentDecision>(
  { abandon }: EnrolledKind<Details, Decision>,
  app: App,
  named: PendingEnrolment | null,
  { paymentsTable, wallClock, cardNetworkOf }: EnrolmentDependencies,
): Promise<"settled"> {
  if (!isAbandoned(named, wallClock())) return "settled"
  // Nothing more is expected from a network that was missing for this long.
  const isHopeless = wallClock() - named.namedAt > DELETED_KEPT_MS
  if (!isHopeless) await abandon?.(cardNetworkOf(app), named.work.id)
  await removePending(paymentsTable, named)
  return "settled"
}

function isAbandoned(named: PendingEnrolment | null, nowMs: number): named is PendingEnrolment {
  return named !== null && nowMs - named.namedAt > ABANDONED_MS
}

/** Whether a record is deleted, and the networks know or cannot be told. */
function isOver({ deletedAt, enrolments }: EnrolledRecord<unknown>, nowMs: number): boolean {
  if (deletedAt === null) return false
  return enrolments.every(({ checkAt }) => checkAt === null) || nowMs - deletedAt > DELETED_KEPT_MS
}
