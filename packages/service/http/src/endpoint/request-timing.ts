import { andThen, type MaybePromise } from "@sealway/kernel"
import type { Identity } from "./authentication.ts"

/** What the time of a request is spent on, as `Server-Timing` names it. */
export const PHASES = ["authentication", "policy", "keys", "crypto", "upstream"] as const

export type Phase = (typeof PHASES)[number]

/** Whom the times are shown to: those who run the app. Tokens are for others, such as the app's own customers. */
const INSIDERS: ReadonlySet<Identity<unknown>["actor"]["type"]> = new Set(["api-key", "team-key", "member"])

/** Measures the phases of one request. The time of a phase does not include that of phases within it. */
export class RequestTiming {
  readonly startedMs: number
  readonly #now: () => number
  /** By the position of the phase; null for one that did not occur. */
  readonly #spentMs: (number | null)[] = PHASES.map(() => null)
  #phase: Phase | null = null
  #phaseStartedMs: number

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number) {
    this.#now = now
    this.startedMs = now()
    this.#phaseStartedMs = this.startedMs
  }

  /** Does work that belongs to a phase. */
  measure<Result>(phase: Phase, work: () => MaybePromise<Result>): MaybePromise<Result> {
    const outer = this.#switchTo(phase)
    return andThen(work(), (result) => {
      this.#switchTo(outer)
      return result
    })
  }

  /**
   * Returns the header `Server-Timing` (W3C Server Timing) of an answer; null for a sender who may not see it. Times are
   * rounded up to 0.1 ms: short ones tell nothing about single values.
   */
  headerFor(identity: Pick<Identity<unknown>, "actor"> | null): string | null {
    return identity === null || !INSIDERS.has(identity.actor.type) ? null : this.header()
  }

  /** Returns the header's value. */
  header(): string {
    let header = `total;dur=${rounded(this.#now() - this.startedMs)}`
    for (let position = 0; position < PHASES.length; position++) {
      const spentMs = this.#spentMs[position] ?? null
      if (spentMs !== null) header += `, ${PHASES[position]};dur=${rounded(spentMs)}`
    }
    return header
  }

  #switchTo(phase: Phase | null): Phase | null {
    const nowMs = this.#now()
    const previous = this.#phase
    if (previous !== null) {
      const position = PHASES.indexOf(previous)
      this.#spentMs[position] = (this.#spentMs[position] ?? 0) + nowMs - this.#phaseStartedMs
    }
    this.#phase = phase
    this.#phaseStartedMs = nowMs
    return previous
  }
}

/** Writing a fraction takes longer than measuring it, and most are short. */
const TENTHS = Array.from({ length: 100 }, (_, tenths) => String(tenths / 10))

/** Rounds up to tenths. */
function rounded(durationMs: number): string {
  const tenths = Math.ceil(durationMs * 10)
  return TENTHS[tenths] ?? String(tenths / 10)
}
