import { Readable } from "node:stream"
import { type Clocks, createId } from "@sealway/kernel"
import type { Activity, Relay, RelayObserver } from "@sealway/relay"
import { compileOperations, MessageReport, RelayError } from "@sealway/relay-engine"
import type { InboundRequest, OutboundReply } from "../exchange.ts"
import type { ExchangeAccess } from "./exchange-access.ts"

/** What the time of an exchange is spent on: waiting for the destination, changing messages, and everything else. */
type Phase = "destination" | "engine" | "other"

const NOTHING = new MessageReport(compileOperations([]))

/** Notes about one exchange, collected while it runs and reported once it has ended. Contains no values. */
export class ExchangeRecord {
  relay: Relay | null = null
  routes: readonly string[] = []
  /** Null until the sender is known. */
  access: ExchangeAccess | null = null
  requestReport: MessageReport = NOTHING
  responseReport: MessageReport = NOTHING
  /** Runs in parallel, and must be awaited at the end: a Lambda that has answered may be frozen. */
  useNoted: Promise<void> | null = null
  readonly #request: Pick<InboundRequest, "mode" | "method">
  readonly #clocks: Clocks
  readonly #observer: Pick<RelayObserver, "finished">
  readonly #startedMs: number
  readonly #createdAt: number
  #phase: Phase = "other"
  #phaseStartedMs: number
  #destinationMs = 0
  #engineMs = 0

  constructor(
    request: Pick<InboundRequest, "mode" | "method">,
    clocks: Clocks,
    observer: Pick<RelayObserver, "finished">,
  ) {
    this.#request = request
    this.#clocks = clocks
    this.#observer = observer
    this.#startedMs = clocks.now()
    this.#phaseStartedMs = this.#startedMs
    this.#createdAt = clocks.wallClock()
  }

  /** Ends the previous phase. */
  begin(phase: Phase): void {
    const nowMs = this.#clocks.now()
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
    this.#observer.finished(relay, {
      error,
      hasLeaks: this.requestReport.leaks.length + this.responseReport.leaks.length > 0,
      activity: () => this.#activity(status, error),
    })
  }

  #activity(status: number, error: RelayError | null): Activity {
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
      timing: {
        totalMs: this.#clocks.now() - this.#startedMs,
        destinationMs: this.#destinationMs,
        engineMs: this.#engineMs,
      },
      createdAt: this.#createdAt,
    }
  }
}

function brokenOff(cause: unknown): RelayError {
  return new RelayError("proxy-error", "The response body ended early.", { stage: "response", cause })
}
