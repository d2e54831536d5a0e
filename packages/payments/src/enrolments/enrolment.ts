/**
 * What a network says of an enrolment. `checkAfterMs`: when to ask again, in milliseconds; of one that is decided, absent
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
 * How an enrolment with one network stands.
 * - `inactive`: nothing is asked for
 * - `pending`: asked for, and not decided
 * - `active`, `failed`: decided; the network may decide otherwise later
 * - `withdrawing`: no longer wanted, and the network is not told yet
 */
export type EnrolmentStatus = "inactive" | "pending" | "active" | "failed" | "withdrawing"

/** One thing that a merchant or an acquirer is enrolled for with a network. */
export interface Enrolment {
  /** What it is for. Tells it from the others of its owner. */
  readonly name: string
  readonly status: EnrolmentStatus
  /** Names the latest request among all requests of its owner. */
  readonly round: number
  /** Epoch milliseconds of that request. */
  readonly requestedAt: number
  /** Epoch milliseconds at which the latest news of that request was true; 0 when there is none yet. */
  readonly newsAt: number
  /** When the network is to be asked or told next, in epoch milliseconds; null for never. */
  readonly checkAt: number | null
  /** Times in a row that the network could not be asked. */
  readonly setbacks: number
  /** The token requestor identifier; null when there is none. */
  readonly identifier: string | null
}

export type EnrolmentEvent =
  /** It is wanted: for the first time, again, or with other particulars. */
  | { readonly type: "request"; readonly round: number; readonly atMs: number }
  | { readonly type: "withdraw"; readonly atMs: number }
  /** What a network answered or told of a request. */
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

/** What each step makes of each status. A step that a row lacks changes nothing. */
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

/** How long to wait for a network to tell by itself, before it is asked again: its message may be lost. */
export const RECHECK_MS = 6 * 60 * 60_000

/** However soon a network asks to be asked again. */
const MIN_RECHECK_MS = 1_000
/** What has waited for so long is not asked about again before this part of that time has passed: all apps share the workers. */
const RECHECKS_PER_AGE = 10

/** What nobody has asked for yet. */
export function newEnrolment(name: string): Enrolment {
  const never = { round: 0, requestedAt: 0, newsAt: 0, checkAt: null, setbacks: 0, identifier: null }
  return { name, status: "inactive", ...never }
}

/**
 * The enrolment after an event. It is the same object when the event changes nothing: because it comes too late, is of a
 * request that another one has followed, or is not for this status.
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

/** Whether the network is to be asked, or told, now. */
export function isDue({ checkAt }: Enrolment, nowMs: number): boolean {
  return checkAt !== null && checkAt <= nowMs
}
