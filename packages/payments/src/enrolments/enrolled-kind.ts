import type { App, Directory, Draws, Events, Keyring, Log, QueueSender, Table } from "@sealway/platform"
import type { CardNetwork, CardNetworkOf } from "../networks/card-network.ts"
import type { EnrolmentAnswer } from "../networks/messages/enrolment.ts"
import type { EnrolledRecord } from "./enrolled-record.ts"
import type { EnrolledTable, EnrolledType } from "./enrolled-table.ts"
import type { Enrolment } from "./enrolment.ts"

/** What enrolling needs of a process. */
export interface EnrolmentDependencies {
  readonly paymentsTable: Table
  readonly keyring: Pick<Keyring, "newest" | "open">
  readonly directory: Pick<Directory, "app">
  readonly events: Pick<Events, "publish">
  readonly queues: QueueSender
  readonly draws: Draws
  readonly log: Pick<Log, "warn">
  readonly cardNetworkOf: CardNetworkOf
  /** Epoch milliseconds. */
  readonly wallClock: () => number
  /** From 0 to less than 1. Default: `Math.random`. */
  readonly random?: () => number
}

/** What tells merchants from acquirers, to what enrols them. */
export interface EnrolledKind<Details> {
  readonly type: EnrolledType
  readonly table: EnrolledTable<Details>
  /** What changes of its enrolments are told as. */
  readonly eventType: `payments.${string}`
  /** Asks the network for an enrolment, or how it stands. */
  enrol(network: CardNetwork, record: EnrolledRecord<Details>, enrolment: Enrolment): Promise<EnrolmentAnswer>
  /** Tells the network that an enrolment is wanted no more. */
  withdraw(network: CardNetwork, record: EnrolledRecord<Details>, enrolment: Enrolment): Promise<unknown>
  /** Whether an enrolment is part of the record though nothing is asked for. */
  isListed(details: Details, name: string): boolean
  /** The record as `GET` answers it. */
  show(
    record: EnrolledRecord<Details>,
    dependencies: Pick<EnrolmentDependencies, "paymentsTable">,
  ): Promise<object>
}

/** What names a record to workers. */
export function workOf({ type }: { readonly type: EnrolledType }, app: Pick<App, "id">, id: string) {
  return { type, appId: app.id, id }
}
