import type { App, Directory } from "@sealway/accounts"
import type { BinData } from "@sealway/bins"
import type { IdPrefix } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import type { Draws, Log, QueueSender, Table } from "@sealway/ports"
import type { Events } from "@sealway/records"
import type { CardNetwork, CardNetworkOf } from "../networks/card-network.ts"
import type { EnrolledRecord, PaymentEventType } from "./enrolled-record.ts"
import type { EnrolledTable, EnrolledType } from "./enrolled-table.ts"
import type { Enrolment, EnrolmentDecision } from "./enrolment.ts"

/** What enrolling needs from a process. */
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
  /** Returns a number from 0 to less than 1. Default: `Math.random`. */
  readonly random?: () => number
}

/**
 * The differences between merchants, acquirers and cards for enrolling them.
 *
 * `Decision` is their network's answer; it may say more than the state of the enrolment, see `take`.
 */
export interface EnrolledKind<Details, Decision extends EnrolmentDecision = EnrolmentDecision> {
  readonly type: EnrolledType
  readonly idPrefix: IdPrefix
  /** The name of a record in errors. */
  readonly title: `The ${string}`
  readonly table: EnrolledTable<Details>
  /** The event type for changes of its enrolments. */
  readonly eventType: PaymentEventType
  /** Asks the network for an enrolment, or about its state. */
  enrol(
    network: CardNetwork,
    record: EnrolledRecord<Details>,
    enrolment: Enrolment,
    asking: { readonly app: App; readonly keyring: Keyring; readonly wallClock: () => number },
  ): Promise<Decision>
  /** Tells the network that an enrolment is no longer wanted. */
  withdraw(network: CardNetwork, record: EnrolledRecord<Details>, enrolment: Enrolment): Promise<unknown>
  /**
   * Tells the network that a record was never created, if it was asked before there was one. Default: it was not asked.
   */
  abandon?(network: CardNetwork, id: string): Promise<unknown>
  /** Whether an enrolment is shown even though it was not requested. */
  isListed(details: Details, name: string): boolean
  /** Shows the record as `GET` returns it. */
  show(
    record: EnrolledRecord<Details>,
    dependencies: Pick<EnrolmentDependencies, "paymentsTable">,
  ): Promise<object>
  /**
   * Returns what callers would see change without their doing: if two records differ in it, an event reports the later
   * one.
   */
  standing(record: EnrolledRecord<Details>): unknown
  /**
   * Returns what an event says about a change of `standing`; null for no event. Default: the record as `GET` returns
   * it.
   */
  tell?(before: EnrolledRecord<Details>, changed: EnrolledRecord<Details>): ToldChange | null
  /** Takes in what a network says besides the state of the enrolment. Safe to repeat. Default: does nothing. */
  take?(
    record: EnrolledRecord<Details>,
    decision: Decision,
    app: App,
    dependencies: EnrolmentDependencies,
  ): Promise<EnrolledRecord<Details>>
  /** Whether a stored record no longer needs what `release` releases. Default: it does. */
  isEnded?(details: Details): boolean
  /**
   * Called once a record has ended, and before a deleted one is removed: releases what else refers to it. Default:
   * nothing.
   */
  release?(
    record: EnrolledRecord<Details>,
    app: App,
    dependencies: Pick<EnrolmentDependencies, "paymentsTable">,
  ): Promise<void>
}

/** The content of an event. */
export interface ToldChange {
  /** Default: the `eventType` of the record's kind. */
  readonly type?: PaymentEventType
  readonly data: object
}

/** Identifies a record to workers. */
export function workOf({ type }: { readonly type: EnrolledType }, app: Pick<App, "id">, id: string) {
  return { type, appId: app.id, id }
}
