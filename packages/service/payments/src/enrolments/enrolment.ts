/**
 * A network's answer about an enrolment. `checkAfterMs`: when to ask again, in milliseconds; for a decided one, absent
 * means never.
 */
export type EnrolmentDecision =
  | {
      readonly status: "active"
      readonly tokenRequestorIdentifier?: string | undefined
      readonly checkAfterMs?: number | undefined
    }
  | { readonly status: "pending"; readonly checkAfterMs?: number | undefined }
  | { readonly status: "failed"; readonly checkAfterMs?: number | undefined }

/**
 * The state of an enrolment with one network.
 * - `inactive`: not requested
 * - `pending`: requested, and not decided
 * - `active`, `failed`: decided; the network may decide differently later
 * - `withdrawing`: no longer wanted, and the network does not know yet
 */
export type EnrolmentStatus = "inactive" | "pending" | "active" | "failed" | "withdrawing"

/** One enrolment of a merchant or an acquirer with a network. */
export interface Enrolment {
  /** Its purpose. Unique within its owner. */
  readonly name: string
  readonly status: EnrolmentStatus
  /** The number of the latest request among all requests of its owner. */
  readonly round: number
  /** Epoch milliseconds of that request. */
  readonly requestedAt: number
  /** Epoch milliseconds of the latest news about that request; 0 when there is none yet. */
  readonly newsAt: number
  /** When to ask or tell the network next, in epoch milliseconds; null for never. */
  readonly checkAt: number | null
  /** How often in a row the network could not be asked. */
  readonly setbacks: number
  /** The token requestor identifier; null when there is none. */
  readonly identifier: string | null
}

export type EnrolmentEvent =
  /** It is wanted: for the first time, again, or with changed details. */
  | { readonly type: "request"; readonly round: number; readonly atMs: number }
  | { readonly type: "withdraw"; readonly atMs: number }
  /** A network's answer or report about a request. */
  | {
      readonly type: "news"
      readonly round: number
      readonly atMs: number
      readonly answer: EnrolmentDecision
    }
  | { readonly type: "withdrawn"; readonly round: number }
  /** The network could not be asked. */
  | { readonly type: "setback"; readonly round: number; readonly atMs: number; readonly waitMs: number }

type Step = "request" | "withdraw" | "activate" | "wait" | "fail" | "finish" | "setback"

/** The effect of each step in each status. A missing step has no effect. */
export const ENROLMENT_STEPS: Readonly<
  Record<EnrolmentStatus, Partial<Readonly<Record<Step, EnrolmentStatus>>>>
> = {
  inactive: { request: "pending" },
  pending: {
    request: "pending",
    withdraw: "withdrawing",
    activate: "active",
    wait: "pending",
    fail: "failed",
    setback: "pending",
  },
  active: {
    request: "pending",
    withdraw: "withdrawing",
    activate: "active",
    fail: "failed",
    setback: "active",
  },
  failed: {
    request: "pending",
    withdraw: "withdrawing",
    activate: "active",
    fail: "failed",
    setback: "failed",
  },
  withdrawing: { request: "pending", finish: "inactive", setback: "withdrawing" },
}

/** How long to wait for a network's own report before asking again: its message may be lost. */
export const RECHECK_MS = 6 * 60 * 60_000

/** The minimum, however soon a network wants to be asked again. */
const MIN_RECHECK_MS = 1_000
/** The wait before asking again is at least the time waited so far, divided by this: all apps share the workers. */
const RECHECKS_PER_AGE = 10

/** Creates an enrolment that was not requested yet. */
export function newEnrolment(name: string): Enrolment {
  const never = { round: 0, requestedAt: 0, newsAt: 0, checkAt: null, setbacks: 0, identifier: null }
  return { name, status: "inactive", ...never }
}

/**
 * Returns the enrolment after an event; the same object when the event has no effect, because it is outdated, is about
 * a request that was followed by another one, or does not apply in this status.
 */
export function afterEnrolmentEvent(enrolment: Enrolment, event: EnrolmentEvent): Enrolment {
  if (event.type === "news") return afterNews(enrolment, event)
  const step = event.type === "withdrawn" ? "finish" : event.type
  const status = ENROLMENT_STEPS[enrolment.status][step]
  if (status === undefined) return enrolment
  switch (event.type) {
    case "request": {
      const { round, atMs } = event
      if (round <= enrolment.round) return enrolment
      return { ...enrolment, status, round, requestedAt: atMs, newsAt: 0, checkAt: atMs, setbacks: 0 }
    }
    case "withdraw":
      return { ...enrolment, status, checkAt: event.atMs, setbacks: 0 }
    case "withdrawn":
      if (event.round !== enrolment.round) return enrolment
      return { ...enrolment, status, checkAt: null, setbacks: 0, identifier: null }
    case "setback":
      // What is not due was not asked about.
      if (event.round !== enrolment.round || enrolment.checkAt === null) return enrolment
      return { ...enrolment, status, checkAt: event.atMs + event.waitMs, setbacks: enrolment.setbacks + 1 }
  }
}

const STEP_OF_ANSWER = { active: "activate", pending: "wait", failed: "fail" } as const

function afterNews(
  enrolment: Enrolment,
  { round, atMs, answer }: Extract<EnrolmentEvent, { type: "news" }>,
): Enrolment {
  const status = ENROLMENT_STEPS[enrolment.status][STEP_OF_ANSWER[answer.status]]
  if (status === undefined || round !== enrolment.round || atMs <= enrolment.newsAt) return enrolment
  const told = { ...enrolment, status, newsAt: atMs, setbacks: 0 }
  if (answer.status === "pending") {
    const leastMs = Math.min(Math.ceil((atMs - enrolment.requestedAt) / RECHECKS_PER_AGE), RECHECK_MS)
    const waitMs = Math.max(answer.checkAfterMs ?? RECHECK_MS, leastMs, MIN_RECHECK_MS)
    return { ...told, checkAt: atMs + waitMs }
  }
  const identifier = (answer.status === "active" && answer.tokenRequestorIdentifier) || enrolment.identifier
  const { checkAfterMs } = answer
  const checkAt = checkAfterMs === undefined ? null : atMs + Math.max(checkAfterMs, MIN_RECHECK_MS)
  return { ...told, checkAt, identifier }
}

/** Whether to ask or tell the network now. */
export function isDue({ checkAt }: Enrolment, nowMs: number): boolean {
  return checkAt !== null && checkAt <= nowMs
}
