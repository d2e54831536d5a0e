import type { CardNetwork } from "../networks/card-network.ts"
import type { EnrolledKind } from "./enrolled-kind.ts"
import { type EnrolledRecord, withEvent } from "./enrolled-record.ts"
import { type Enrolment, type EnrolmentEvent, isDue } from "./enrolment.ts"

/** Enrolments of one record that a network is asked about at the same time. */
const AT_ONCE = 5
/** The wait after the network could not be asked. Each next one is twice as long. */
const SETBACK_MS = { first: 5_000, max: 6 * 60 * 60_000 }

export interface AskingDependencies {
  /** Epoch milliseconds. */
  readonly wallClock: () => number
  readonly random?: () => number
  /** Told of each time that the network could not be asked. */
  readonly onSetback: (error: unknown) => void
}

/** The record after some of its enrolments that are due were asked about. */
export async function askNetwork<Details>(
  kind: EnrolledKind<Details>,
  network: CardNetwork,
  record: EnrolledRecord<Details>,
  dependencies: AskingDependencies,
): Promise<EnrolledRecord<Details>> {
  const due = record.enrolments.filter((each) => isDue(each, dependencies.wallClock())).slice(0, AT_ONCE)
  const events = await Promise.all(
    due.map(async (each) => ({
      name: each.name,
      event: await ask(kind, network, record, each, dependencies),
    })),
  )
  const asked = events.reduce((current, { name, event }) => withEvent(current, name, event), record)
  return withoutUnlisted(kind, asked)
}

async function ask<Details>(
  kind: EnrolledKind<Details>,
  network: CardNetwork,
  record: EnrolledRecord<Details>,
  enrolment: Enrolment,
  { wallClock, random = Math.random, onSetback }: AskingDependencies,
): Promise<EnrolmentEvent> {
  const { round, status, setbacks } = enrolment
  try {
    if (status === "withdrawing") {
      await kind.withdraw(network, record, enrolment)
      return { type: "withdrawn", round }
    }
    // What the network tells by itself while it is asked is newer than its answer.
    const atMs = wallClock()
    return { type: "news", round, atMs, answer: await kind.enrol(network, record, enrolment) }
  } catch (error) {
    onSetback(error)
    const waitMs = Math.min(SETBACK_MS.first * 2 ** setbacks, SETBACK_MS.max)
    return { type: "setback", round, atMs: wallClock(), waitMs: Math.ceil(waitMs * (1 + random() / 4)) }
  }
}

function withoutUnlisted<Details>(
  kind: EnrolledKind<Details>,
  record: EnrolledRecord<Details>,
): EnrolledRecord<Details> {
  const listed = record.enrolments.filter(
    ({ name, status }) => status !== "inactive" || kind.isListed(record.details, name),
  )
  return listed.length === record.enrolments.length ? record : { ...record, enrolments: listed }
}
