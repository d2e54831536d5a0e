import type { App } from "@sealway/accounts"
import type { CardNetwork } from "../networks/card-network.ts"
import type { EnrolledKind, EnrolmentDependencies } from "./enrolled-kind.ts"
import { type EnrolledRecord, withEvent } from "./enrolled-record.ts"
import { type Enrolment, type EnrolmentDecision, type EnrolmentEvent, isDue } from "./enrolment.ts"

/** How many enrolments of one record a network is asked about at the same time. */
const AT_ONCE = 5
/** The wait after the network could not be asked. Each further one is twice as long. */
const SETBACK_MS = { first: 5_000, max: 6 * 60 * 60_000 }

export interface AskingDependencies extends EnrolmentDependencies {
  readonly network: CardNetwork
  /** Called each time the network could not be asked. */
  readonly onSetback: (error: unknown) => void
}

/** Asks the networks about some enrolments that are due, and returns the changed record. */
export async function askNetwork<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  app: App,
  record: EnrolledRecord<Details>,
  dependencies: AskingDependencies,
): Promise<EnrolledRecord<Details>> {
  const due = record.enrolments.filter((each) => isDue(each, dependencies.wallClock())).slice(0, AT_ONCE)
  const events = await Promise.all(
    due.map(async (each) => ({ name: each.name, event: await ask(kind, app, record, each, dependencies) })),
  )
  let asked = record
  for (const { name, event } of events) {
    const { decision, ...told } = event
    const after = withEvent(asked, name, told)
    const isNews = decision !== null && after !== asked
    asked = isNews ? await takeIn(kind, after, decision, app, dependencies) : after
  }
  return withoutUnlisted(kind, asked)
}

/** Takes in what a network says about a record besides the state of one of its enrolments. */
export async function takeIn<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  record: EnrolledRecord<Details>,
  decision: Decision,
  app: App,
  dependencies: EnrolmentDependencies,
): Promise<EnrolledRecord<Details>> {
  return kind.take === undefined ? record : kind.take(record, decision, app, dependencies)
}

/** A question to a network, and the answer. */
type NetworkExchange<Decision> = EnrolmentEvent & { readonly decision: Decision | null }

async function ask<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  app: App,
  record: EnrolledRecord<Details>,
  enrolment: Enrolment,
  { network, keyring, wallClock, random = Math.random, onSetback }: AskingDependencies,
): Promise<NetworkExchange<Decision>> {
  const { round, status, setbacks } = enrolment
  try {
    if (status === "withdrawing") {
      await kind.withdraw(network, record, enrolment)
      return { type: "withdrawn", round, decision: null }
    }
    // What the network reports on its own meanwhile is newer than its answer.
    const atMs = wallClock()
    const decision = await kind.enrol(network, record, enrolment, { app, keyring, wallClock })
    return { type: "news", round, atMs, answer: decision, decision }
  } catch (error) {
    onSetback(error)
    const waitMs = Math.min(SETBACK_MS.first * 2 ** setbacks, SETBACK_MS.max)
    const spreadMs = Math.ceil(waitMs * (1 + random() / 4))
    return { type: "setback", round, atMs: wallClock(), waitMs: spreadMs, decision: null }
  }
}

function withoutUnlisted<Details>(
  kind: Pick<EnrolledKind<Details>, "isListed">,
  record: EnrolledRecord<Details>,
): EnrolledRecord<Details> {
  const listed = record.enrolments.filter(
    ({ name, status }) => status !== "inactive" || kind.isListed(record.details, name),
  )
  return listed.length === record.enrolments.length ? record : { ...record, enrolments: listed }
}
