import type { Task } from "@sealway/kernel"
import type { NamedRule } from "../rules/data-policy.ts"

/** What requests differ in, in the order in which people read it. */
export const REQUEST_PARTS = [
  "source",
  "ip",
  "apiKey",
  "function",
  "relayDestination",
  "reason",
  "weekday",
  "minute",
  "time",
  "enclave",
  "pcr0",
  "pcr1",
  "pcr2",
  "pcr8",
  "app",
  "masked",
] as const

export interface RequestPart {
  readonly name: (typeof REQUEST_PARTS)[number]
  /** `from 10.0.0.0/8` */
  readonly words: string
  /** For `weekday` and `minute`. */
  readonly timezone?: string
  /** True: all but these values. */
  readonly isExcluded: boolean
  readonly values: readonly string[]
}

/** Requests, by what they have in common. What is not named may be anything. */
export interface RequestKind {
  /** In a sentence: `through the API, from 10.0.0.0/8`. */
  readonly words: string
  readonly parts: readonly RequestPart[]
}

/** All requests of some kinds, in words. */
export type RequestsDescription =
  | {
      readonly known: true
      readonly requests: readonly RequestKind[]
      /** Whether these are all. */
      readonly isComplete: boolean
      /** Null: for all requests from now on; otherwise for those before, by the rules of time zones in force. */
      readonly untilMs: number | null
    }
  | { readonly known: false; readonly reason: string }

export const WARNING_KINDS = [
  "never-applies",
  "may-fail",
  "no-effect",
  "forbids-nothing",
  "unbounded",
  "closed-role",
  "unknown",
] as const

/** Something in a role's policies that is probably a mistake. */
export interface PolicyWarning {
  readonly role: string
  /** Name of the policy; null for the role. */
  readonly policy: string | null
  readonly kind: (typeof WARNING_KINDS)[number]
  readonly reason: string
}

/** What a change of policies changes, for all requests. */
export interface ChangeDescription {
  readonly permitted: RequestsDescription
  readonly refused: RequestsDescription
}

/** A question about all requests for values of a role, from a time on. */
export interface AccessQuestion {
  readonly role: string
  readonly rules: readonly NamedRule[]
  /** The time of the earliest request, in epoch milliseconds. */
  readonly nowMs: number
  /** Whether the role has a mask; values of one that has none are never masked. Default: it has. */
  readonly hasMask?: boolean
}

export interface ChangeQuestion extends Omit<AccessQuestion, "rules"> {
  readonly before: readonly NamedRule[]
  readonly after: readonly NamedRule[]
}

/** An answer, and the time of the earliest request that it is about: it may have been found for an earlier question. */
export type Proved<Answer> = Answer & { readonly fromMs: number }

export interface ChangeAnswer extends ChangeDescription {
  /** About the policies after the change. */
  readonly warnings: readonly PolicyWarning[]
}

/**
 * Decides questions about all possible requests, in bounded time and memory: what it cannot decide in time is not known.
 *
 * Both throw ApiError `too-many-requests` while another question of the app is being decided, `service-unavailable` when
 * there is no memory for it, and why the task was cancelled.
 */
export interface PolicyProver {
  access(
    appId: string,
    question: AccessQuestion,
    task: Task,
  ): Promise<Proved<{ readonly access: RequestsDescription }>>
  change(appId: string, question: ChangeQuestion, task: Task): Promise<Proved<ChangeAnswer>>
}
