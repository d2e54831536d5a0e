import { Readable } from "node:stream"
import type { RequestTiming, Phase as TimedPhase } from "@sealway/http"
import { type Clocks, createId, type MaybePromise, PROBLEMS } from "@sealway/kernel"
import type { Stats } from "@sealway/records"
import type { Activity, Relay, RelayObserver, Tolerated } from "@sealway/relay"
import { compileOperations, MessageReport, RelayError } from "@sealway/relay-engine"
import type { InboundRequest, OutboundReply } from "../exchange.ts"
import type { ExchangeAccess } from "./exchange-access.ts"

/** What the time of an exchange is spent on: waiting for the destination, changing messages, and everything else. */
type Phase = "destination" | "engine" | "other"

export interface RecordDependencies extends Clocks {
  readonly observer: Pick<RelayObserver, "finished">
  readonly stats: Pick<Stats, "count" | "countGroup">
}

const NOTHING = new MessageReport(compileOperations([]))

/** Notes about one exchange, collected while it runs and reported once it has ended. Contains no values. */
export class ExchangeRecord {
  relay: Relay | null = null
  routes: readonly string[] = []
  /** Whether the request passes although it has none. */
  isTolerated = false
  /** Null until the sender is known. */
  access: ExchangeAccess | null = null
  requestReport: MessageReport = NOTHING
  responseReport: MessageReport = NOTHING
  /** Runs in parallel, and must be awaited at the end: a Lambda that has answered may be frozen. */
  useNoted: Promise<void> | null = null
  /** Measures what the sender is told; null when it is told nothing. */
  timing: RequestTiming | null = null
  /** Not the request itself, which has a body. */
  readonly #request: Pick<InboundRequest, "mode" | "method">
  readonly #dependencies: RecordDependencies
  readonly #startedMs: number
  readonly #createdAt: number
  #phase: Phase = "other"
  #phaseStartedMs: number
  #destinationMs = 0
  #engineMs = 0

  constructor({ mode, method }: Pick<InboundRequest, "mode" | "method">, dependencies: RecordDependencies) {
    this.#request = { mode, method }
    this.#dependencies = dependencies
    this.#startedMs = dependencies.now()
    this.#phaseStartedMs = this.#startedMs
    this.#createdAt = dependencies.wallClock()
  }

  /** Does work that belongs to a phase that the sender may be told of. */
  measure<Result>(phase: TimedPhase, work: () => MaybePromise<Result>): MaybePromise<Result> {
    return this.timing === null ? work() : this.timing.measure(phase, work)
  }

  /** Ends the previous phase. */
  begin(phase: Phase): void {
    const nowMs = this.#dependencies.now()
    if (this.#phase === "destination") this.#destinationMs += nowMs - this.#phaseStartedMs
    else if (this.#phase === "engine") this.#engineMs += nowMs - this.#phaseStartedMs
    this.#phase = phase
    this.#phaseStartedMs = nowMs
  }

  /** Reports the exchange once the answer's body was sent, or has failed. @param error why the relay answered itself */
  tellOf({ status, body }: OutboundReply, error: RelayError | null): void {
    const { relay } = this
    if (relay === null) return
    this.begin("other")
    if (!(body instanceof Readable)) {
      this.#tell(relay, status, error)
      return
    }
    let failure = error
    body.once("error", (cause) => {
      failure ??= cause instanceof RelayError ? cause : brokenOff(cause)
    })
    body.once("close", () => this.#tell(relay, status, failure))
  }

  #tell(relay: Relay, status: number, error: RelayError | null): void {
    this.access?.end()
    const totalMs = this.#dependencies.now() - this.#startedMs
    this.#count(relay, error, totalMs)
    this.#dependencies.observer.finished(relay, {
      error,
      hasLeaks: this.requestReport.leaks.length + this.responseReport.leaks.length > 0,
      activity: () => this.#activity(status, error, totalMs),
    })
  }

  #count({ id: relayId, appId }: Relay, error: RelayError | null, totalMs: number): void {
    const { stats } = this.#dependencies
    let encrypted = 0
    for (const report of [this.requestReport, this.responseReport]) {
      for (const [role, values] of report.encrypted) {
        encrypted += values
        stats.countGroup(appId, "role", role, { encrypted: values })
      }
    }
    const isRefused = error !== null && PROBLEMS[error.code].relay < 500
    stats.count(
      appId,
      {
        relayRequests: 1,
        encrypted,
        ...(error !== null && (isRefused ? { refusals: 1 } : { errors: 1 })),
        tookMs: { relay: totalMs, ...(this.#destinationMs > 0 && { destination: this.#destinationMs }) },
      },
      { relay: relayId, ...(error !== null && { code: error.code }) },
    )
  }

  #activity(status: number, error: RelayError | null, totalMs: number): Activity {
    const { mode, method } = this.#request
    return {
      id: createId("relay_activity", this.#createdAt),
      mode,
      method,
      routes: this.routes,
      status,
      error: error && { code: error.code, stage: error.stage, detail: error.message },
      selections: [...this.requestReport.selections, ...this.responseReport.selections],
      leaks: [...this.requestReport.leaks, ...this.responseReport.leaks],
      tolerated: [
        ...(this.isTolerated ? (["unmatched"] as const) : []),
        ...this.requestReport.tolerated.map(typeOf),
        ...this.responseReport.tolerated.map(typeOf),
      ],
      timing: { totalMs, destinationMs: this.#destinationMs, engineMs: this.#engineMs },
      createdAt: this.#createdAt,
    }
  }
}

function typeOf(direction: "request" | "response"): Tolerated {
  return `${direction}-type`
}

function brokenOff(cause: unknown): RelayError {
  return new RelayError("proxy-error", "The response body ended early.", { stage: "response", cause })
}
