import { Readable } from "node:stream"
import { type Clocks, createId } from "@sealway/kernel"
import type { Activity, Relay, RelayObserver } from "@sealway/relay"
import { compileOperations, MessageReport, RelayError } from "@sealway/relay-engine"
import type { InboundRequest, OutboundReply } from "../exchange.ts"
import type { ExchangeAccess } from "./exchange-access.ts"

/** What an exchange's time is spent on: waiting for the destination, changing messages, and all else. */
type Phase = "destination" | "engine" | "other"

const NOTHING = new MessageReport(compileOperations([]))

/** What is noted of one exchange while it goes on, and told once it is over. Holds no values. */
export class ExchangeRecord {
  relay: Relay | null = null
  routes: readonly string[] = []
  /** Null before it is known who asks. */
  access: ExchangeAccess | null = null
  requestReport: MessageReport = NOTHING
  responseReport: MessageReport = NOTHING
  /** Goes on beside the work, and is to be waited for at its end: a Lambda that has answered may be frozen. */
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

  /** Ends the phase before. */
  begin(phase: Phase): void {
    const nowMs = this.#clocks.now()
    if (this.#phase === "destination") this.#destinationMs += nowMs - this.#phaseStartedMs
    else if (this.#phase === "engine") this.#engineMs += nowMs - this.#phaseStartedMs
    this.#phase = phase
    this.#phaseStartedMs = nowMs
  }

  /** Tells of the exchange once the answer's body has gone, or has failed to. @param error why the relay answered itself */
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
  return new RelayError("proxy-error", "The response's body broke off.", { stage: "response", cause })
}
