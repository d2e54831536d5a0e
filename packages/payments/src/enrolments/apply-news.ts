import type { App } from "@sealway/platform"
import type { EnrolmentAnswer } from "../networks/messages/enrolment.ts"
import { type EnrolledKind, type EnrolmentDependencies, workOf } from "./enrolled-kind.ts"
import { withEvent } from "./enrolled-record.ts"
import { sendEnrolmentWork } from "./messages.ts"
import { namePending } from "./pending-enrolments.ts"
import { tellChange, withUntoldChange } from "./tell-change.ts"

/** What a network tells by itself about an enrolment. */
export interface EnrolmentNews {
  readonly id: string
  readonly round: number
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly answer: EnrolmentAnswer
}

const MAX_TRIES = 10

/**
 * Writes down what a network tells. News that is older than what is known, is known, or is of a record or a request that
 * is not there any more changes nothing.
 *
 * @throws Error when others change the record all the time; it is safe to tell the same again
 */
export async function applyEnrolmentNews<Details>(
  kind: EnrolledKind<Details>,
  app: App,
  { id, round, occurredAt, answer }: EnrolmentNews,
  dependencies: EnrolmentDependencies,
): Promise<void> {
  const { paymentsTable, queues, wallClock } = dependencies
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await kind.table.find(dependencies, app, id)
    if (found === null) return
    const enrolment = found.enrolments.find((each) => each.round === round)
    if (enrolment === undefined) return
    // A clock that is ahead must not make all later news look old.
    const atMs = Math.min(occurredAt, wallClock())
    const event = { type: "news", round, atMs, answer } as const
    if (withEvent(found, enrolment.name, event) === found) {
      // It may be known because an earlier call wrote it down and died before it woke a worker.
      if (found.untold !== null) await sendEnrolmentWork(queues, workOf(kind, app, id))
      return
    }
    // Each change has an event of its own: that of an earlier one goes out first.
    const record = await tellChange(kind, app, found, dependencies)
    if (record === null) continue
    const changed = withEvent(record, enrolment.name, event)
    const work = workOf(kind, app, id)
    await namePending(paymentsTable, work, wallClock(), record.revision + 1)
    const untold = await withUntoldChange(kind, record, changed, dependencies)
    if ((await kind.table.replace(dependencies, app, untold)) === null) continue
    await sendEnrolmentWork(queues, work)
    return
  }
  throw new Error("A record of payments is changed all the time")
}
