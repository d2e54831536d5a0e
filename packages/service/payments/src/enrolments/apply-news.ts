import type { App } from "@sealway/accounts"
import { takeIn } from "./ask-network.ts"
import { type EnrolledKind, type EnrolmentDependencies, workOf } from "./enrolled-kind.ts"
import { type EnrolledRecord, withEvent } from "./enrolled-record.ts"
import type { EnrolmentDecision } from "./enrolment.ts"
import { changedMeanwhile, storedRecord } from "./keep-enrolled.ts"
import { sendEnrolmentWork } from "./messages.ts"
import { namePending } from "./pending-enrolments.ts"
import { tellChange, withUntoldChange } from "./tell-change.ts"
import { untilWritten } from "./until-written.ts"

/** A network's own report about an enrolment. */
export interface EnrolmentNews<Decision extends EnrolmentDecision = EnrolmentDecision> {
  readonly id: string
  readonly round: number
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly answer: Decision
}

/**
 * Records what a network reports. News that is outdated, already known, or about a record or request that no longer
 * exists has no effect.
 *
 * @throws ConflictError when others keep changing the record; reporting the same again is safe
 */
export async function applyEnrolmentNews<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  app: App,
  { id, round, occurredAt, answer }: EnrolmentNews<Decision>,
  dependencies: EnrolmentDependencies,
): Promise<void> {
  await changeByNews(kind, app, id, dependencies, async (record) => {
    const enrolment = record.enrolments.find((each) => each.round === round)
    if (enrolment === undefined) return record
    // A fast clock must not make all later news look old.
    const atMs = Math.min(occurredAt, dependencies.wallClock())
    const told = withEvent(record, enrolment.name, { type: "news", round, atMs, answer })
    return told === record ? record : takeIn(kind, told, answer, app, dependencies)
  })
}

/**
 * Changes a record on a network's behalf: the change is stored together with the event about it.
 *
 * @param change returns the changed record, or the same object for no change. Called again when others change it
 * meanwhile
 * @returns the record; null when there is none
 * @throws ConflictError when others keep changing the record; reporting the same again is safe
 */
export async function changeByNews<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  app: App,
  id: string,
  dependencies: EnrolmentDependencies,
  change: (record: EnrolledRecord<Details>) => Promise<EnrolledRecord<Details>>,
): Promise<EnrolledRecord<Details> | null> {
  const { paymentsTable, queues, wallClock } = dependencies
  const work = workOf(kind, app, id)
  return untilWritten(async () => {
    const found = await kind.table.find(dependencies, app, id)
    if (found === null) return null
    const seen = await change(found)
    if (seen === found) {
      // An earlier call may have recorded it and died before it woke a worker.
      if (found.untold !== null) await sendEnrolmentWork(queues, work)
      return found
    }
    // Each change has its own event: that of an earlier one is published first.
    const record = await tellChange(kind, app, found, dependencies)
    if (record === null) throw changedMeanwhile(kind)
    const changed = record === found ? seen : await change(record)
    await namePending(paymentsTable, work, wallClock(), record.revision + 1)
    const untold = await withUntoldChange(kind, record, changed, dependencies)
    const replaced = await kind.table.replace(dependencies, app, untold)
    if (replaced === null) throw changedMeanwhile(kind)
    const stored = await storedRecord(kind, dependencies, app, replaced)
    await sendEnrolmentWork(queues, work)
    return stored
  })
}
