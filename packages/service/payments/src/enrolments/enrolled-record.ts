import { afterEnrolmentEvent, type Enrolment, type EnrolmentEvent, newEnrolment } from "./enrolment.ts"

/** An event type of payments. */
export type PaymentEventType = `payments.${string}`

/** An event to publish. It is part of the record until it is published, so that no crash loses it. */
export interface UnpublishedEvent {
  readonly eventId: string
  /** Absent: the `eventType` of the record's kind. */
  readonly type?: PaymentEventType | undefined
  /** Its data as JSON: for most kinds the record at that time, as `GET` returns it. */
  readonly data: string
}

/** A record that is enrolled with networks: its app's details, and its state at the networks. */
export interface EnrolledRecord<Details> {
  readonly id: string
  readonly appId: string
  /** The app's own details. Sealed in the table, like everything that follows. */
  readonly details: Details
  readonly enrolments: readonly Enrolment[]
  /** How many enrolments were requested so far. */
  readonly rounds: number
  readonly untold: UnpublishedEvent | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; null until it is changed. */
  readonly updatedAt: number | null
  /** Epoch milliseconds; null while it exists. A deleted record is stored until the networks know. */
  readonly deletedAt: number | null
  /** Incremented by each write. */
  readonly revision: number
}

/** Creates a record without requested enrolments. @param nowMs epoch milliseconds */
export function newRecord<Details>(
  id: string,
  appId: string,
  details: Details,
  nowMs: number,
): EnrolledRecord<Details> {
  return {
    id,
    appId,
    details,
    enrolments: [],
    rounds: 0,
    untold: null,
    createdAt: nowMs,
    updatedAt: null,
    deletedAt: null,
    revision: 1,
  }
}

/** Returns the name of a record's request for a network. It reveals nothing. */
export function referenceOf(
  { id }: Pick<EnrolledRecord<unknown>, "id">,
  { round }: Pick<Enrolment, "round">,
) {
  return `${id}.${round}`
}

/** Returns null when it is not one of our references. */
export function parseReference(reference: string): { readonly id: string; readonly round: number } | null {
  const match = /^([a-z]+(?:_[a-z]+)*_[0-9a-z]{1,64})\.([1-9][0-9]{0,9})$/.exec(reference)
  return match?.[1] === undefined ? null : { id: match[1], round: Number(match[2]) }
}

export function findEnrolment(
  { enrolments }: Pick<EnrolledRecord<unknown>, "enrolments">,
  name: string,
): Enrolment | null {
  return enrolments.find((each) => each.name === name) ?? null
}

/** Requests an enrolment, whatever its state. */
export function requestEnrolment<Record extends Pick<EnrolledRecord<unknown>, "enrolments" | "rounds">>(
  record: Record,
  name: string,
  atMs: number,
): Record {
  const round = record.rounds + 1
  const isKnown = record.enrolments.some((each) => each.name === name)
  const enrolments = isKnown ? record.enrolments : [...record.enrolments, newEnrolment(name)]
  return withEvent({ ...record, enrolments, rounds: round }, name, { type: "request", round, atMs })
}

/** Withdraws an enrolment. */
export function withdrawEnrolment<Record extends Pick<EnrolledRecord<unknown>, "enrolments">>(
  record: Record,
  name: string,
  atMs: number,
): Record {
  return withEvent(record, name, { type: "withdraw", atMs })
}

/** Returns the record after an event of one of its enrolments; the same object when nothing changed. */
export function withEvent<Record extends Pick<EnrolledRecord<unknown>, "enrolments">>(
  record: Record,
  name: string,
  event: EnrolmentEvent,
): Record {
  let isChanged = false
  const enrolments = record.enrolments.map((each) => {
    const after = each.name === name ? afterEnrolmentEvent(each, event) : each
    isChanged ||= after !== each
    return after
  })
  return isChanged ? { ...record, enrolments } : record
}

/** Returns when a record has something to do, in epoch milliseconds; null for never. */
export function dueAtOf({
  enrolments,
  untold,
  deletedAt,
  createdAt,
}: Pick<EnrolledRecord<unknown>, "enrolments" | "untold" | "deletedAt" | "createdAt">): number | null {
  if (untold !== null) return createdAt
  const times = enrolments.flatMap(({ checkAt }) => (checkAt === null ? [] : [checkAt]))
  if (times.length > 0) return Math.min(...times)
  return deletedAt
}
