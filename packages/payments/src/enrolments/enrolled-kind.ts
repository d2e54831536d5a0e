import type { IdPrefix } from "@sealway/kernel"
import type { App, Directory, Draws, Events, Keyring, Log, QueueSender, Table } from "@sealway/platform"
import type { BinData } from "../bins/bin-data.ts"
import type { CardNetwork, CardNetworkOf } from "../networks/card-network.ts"
import type { EnrolledRecord, PaymentEventType } from "./enrolled-record.ts"
import type { EnrolledTable, EnrolledType } from "./enrolled-table.ts"
import type { Enrolment, EnrolmentDecision } from "./enrolment.ts"

/** What enrolling needs of a process. */
export interface EnrolmentDependencies {
  readonly paymentsTable: Table
  readonly keyring: Keyring
  readonly directory: Pick<Directory, "app">
  readonly events: Pick<Events, "publish">
  readonly queues: QueueSender
  readonly draws: Draws
  readonly log: Pick<Log, "warn">
  readonly cardNetworkOf: CardNetworkOf
  readonly binData: BinData
  /** Epoch milliseconds. */
  readonly wallClock: () => number
  /** From 0 to less than 1. Default: `Math.random`. */
  readonly random?: () => number
}

/**
 * What tells merchants, acquirers and cards from each other, to what enrols them.
 *
 * `Decision` is what their network answers; it may say more than how the enrolment stands, see `take`.
 */
export interface EnrolledKind<Details, Decision extends EnrolmentDecision = EnrolmentDecision> {
  readonly type: EnrolledType
  readonly idPrefix: IdPrefix
  /** How errors name a record. */
  readonly title: `The ${string}`
  readonly table: EnrolledTable<Details>
  /** What changes of its enrolments are told as. */
  readonly eventType: PaymentEventType
  /** Set for records whose networks are asked every day, and which are too many to be named as pending. */
  readonly isCheckedDaily?: true
  /** Asks the network for an enrolment, or how it stands. */
  enrol(
    network: CardNetwork,
    record: EnrolledRecord<Details>,
    enrolment: Enrolment,
    asking: { readonly app: App; readonly keyring: Keyring; readonly wallClock: () => number },
  ): Promise<Decision>
  /** Tells the network that an enrolment is wanted no more. */
  withdraw(network: CardNetwork, record: EnrolledRecord<Details>, enrolment: Enrolment): Promise<unknown>
  /** Tells the network that a record, for which it was asked before there was one, was never made. Default: it was not asked. */
  abandon?(network: CardNetwork, id: string): Promise<unknown>
  /** Whether an enrolment is part of the record though nothing is asked for. */
  isListed(details: Details, name: string): boolean
  /** The record as `GET` answers it. */
  show(
    record: EnrolledRecord<Details>,
    dependencies: Pick<EnrolmentDependencies, "paymentsTable">,
  ): Promise<object>
  /** What callers would see change by itself: where two records differ in it, the later one is told by an event. */
  standing(record: EnrolledRecord<Details>): unknown
  /**
   * What an event tells of a change in `standing`; null where receivers are told nothing. Default: the record as `GET`
   * answers it.
   */
  tell?(before: EnrolledRecord<Details>, changed: EnrolledRecord<Details>): ToldChange | null
  /** Takes in what a network says beside how the enrolment stands. Safe to be called again. Default: nothing. */
  take?(
    record: EnrolledRecord<Details>,
    decision: Decision,
    app: App,
    dependencies: EnrolmentDependencies,
  ): Promise<EnrolledRecord<Details>>
  /** Whether a record that is kept needs nothing any more of what `release` gives back. Default: it does. */
  isEnded?(details: Details): boolean
  /** Called once a record is ended, and before a deleted one is removed: gives back what else names it. Default: nothing does. */
  release?(
    record: EnrolledRecord<Details>,
    app: App,
    dependencies: Pick<EnrolmentDependencies, "paymentsTable">,
  ): Promise<void>
}

/** What an event tells. */
export interface ToldChange {
  /** Default: the `eventType` of the record's kind. */
  readonly type?: PaymentEventType
  readonly data: object
}

/** What names a record to workers. */
export function workOf({ type }: { readonly type: EnrolledType }, app: Pick<App, "id">, id: string) {
  return { type, appId: app.id, id }
}
