import { afterEnrolmentEvent, type Enrolment, type EnrolmentEvent, newEnrolment } from "./enrolment.ts"

/** An event of payments. */
export type PaymentEventType = `payments.${string}`

/** An event that is to be published: it is part of the record until it is, so that no crash loses it. */
export interface Untold {
  readonly eventId: string
  /** Absent: the `eventType` of the record's kind. */
  readonly type?: PaymentEventType | undefined
  /** What it tells: of most kinds the record as it was then, as `GET` answers it. JSON. */
  readonly data: string
}

/** A merchant or an acquirer: what its app says of it, and how it stands with the networks. */
export interface EnrolledRecord<Details> {
  readonly id: string
  readonly appId: string
  /** What the app has said. Sealed where it is kept, like all that follows. */
  readonly details: Details
  readonly enrolments: readonly Enrolment[]
  /** Requests to enrol so far. */
  readonly rounds: number
  readonly untold: Untold | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; null until it is changed. */
  readonly updatedAt: number | null
  /** Epoch milliseconds; null for one that exists. A deleted one is kept until the networks are told. */
  readonly deletedAt: number | null
  /** Counts writes. */
  readonly revision: number
}

/** A record with nothing asked for yet. @param nowMs epoch milliseconds */
export function newRecord<Details>(
  id: string,
  appId: string,
  details: Details,
  nowMs: number,
): EnrolledRecord<Details> {
  return {
    ...{ id, appId, details, enrolments: [], rounds: 0, untold: null },
    ...{ createdAt: nowMs, updatedAt: null, deletedAt: null, revision: 1 },
  }
}

/** What names a request of a record to a network: it tells nothing. */
export function referenceOf(
  { id }: Pick<EnrolledRecord<unknown>, "id">,
  { round }: Pick<Enrolment, "round">,
) {
  return `${id}.${round}`
}

/** Null for what is no reference of ours. */
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

/** The record with an enrolment asked for, whatever came of it before. */
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

/** The record with an enrolment that is wanted no more. */
export function withdrawEnrolment<Record extends Pick<EnrolledRecord<unknown>, "enrolments">>(
  record: Record,
  name: string,
  atMs: number,
): Record {
  return withEvent(record, name, { type: "withdraw", atMs })
}

/** The record after something happened to one of its enrolments. It is the same object when nothing changed. */
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

/** When there is something to do for a record, in epoch milliseconds; null for never. */
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
