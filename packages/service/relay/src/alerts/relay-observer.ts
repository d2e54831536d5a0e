import type { Clocks } from "@sealway/kernel"
import type { Grant, Log, Table } from "@sealway/ports"
import type { Events } from "@sealway/records"
import type { RelayError } from "@sealway/relay-engine"
import type { Activity } from "../activity/activity.ts"
import { createActivityRecorder } from "../activity/activity-recorder.ts"
import type { Relay } from "../relays/relay.ts"
import { createAlertRaiser } from "./alert-raiser.ts"

/** A finished exchange. */
export interface FinishedExchange {
  /** Why the relay answered itself, or the answer broke off. */
  readonly error: Pick<RelayError, "code"> | null
  readonly hasLeaks: boolean
  /** Returns what is kept of it. Must be called immediately, if at all: of many requests only a sample is kept. */
  readonly activity: () => Activity
}

/** Observes each request to a relay: records it, and raises alerts. */
export interface RelayObserver {
  /** Never throws and never waits: what it starts continues in the background. */
  finished(relay: Relay, exchange: FinishedExchange): void
  /**
   * Resolves when all background work is done, without starting any: await it when the process may be frozen after an
   * answer, as in a Lambda.
   */
  settle(): Promise<void>
  /** Writes everything that is kept. Call it before the process ends. */
  flush(): Promise<void>
}

export interface RelayObserverDependencies extends Clocks {
  readonly configTable: Pick<Table, "list">
  readonly eventsTable: Pick<Table, "put">
  readonly events: Pick<Events, "publish">
  readonly log: Pick<Log, "warn">
  /** Where links in alerts lead: `https://dashboard.example.com/dashboard`. Default: null, for paths of the API. */
  readonly dashboardUrl?: string | null
  /** See `ActivityRecorderOptions`. */
  readonly writeEveryMs?: number
}

/** For recording and alerts: a write every few seconds, and an event per alert. */
export const RELAY_OBSERVER_GRANTS = [
  "dynamodb:Query/config",
  "dynamodb:PutItem/events",
  "sqs:SendMessage/events",
] as const satisfies readonly Grant[]

export function createRelayObserver({
  dashboardUrl = null,
  ...dependencies
}: RelayObserverDependencies): RelayObserver {
  const { log } = dependencies
  const recorder = createActivityRecorder(dependencies)
  const alerts = createAlertRaiser({ ...dependencies, dashboardUrl })

  async function settle(): Promise<void> {
    await Promise.all([recorder.settle(), alerts.settle()])
  }

  return {
    finished(relay, exchange) {
      try {
        if (exchange.error === null && !exchange.hasLeaks) {
          recorder.note(relay, exchange.activity, "usual")
          return
        }
        const activity = exchange.activity()
        const isAlerted = alerts.raise(relay, activity)
        recorder.note(relay, () => activity, isAlerted ? "alerted" : "notable")
      } catch (error) {
        log.warn("could not record relay activity", { error })
      }
    },
    settle,
    async flush() {
      await recorder.flush()
      await settle()
    },
  }
}
