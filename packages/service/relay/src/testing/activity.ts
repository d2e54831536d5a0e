import { createId } from "@sealway/kernel"
import type { Activity } from "../activity/activity.ts"
import type { FinishedExchange } from "../alerts/relay-observer.ts"
import type { Relay } from "../relays/relay.ts"
import { TEST_RELAY } from "./test-relay.ts"

export const RELAY: Relay = { ...TEST_RELAY, id: "relay_00000000000000000000000001" }

/** Returns the activity of a request at a time that was forwarded. */
export function activityAt(createdAt: number, settings: Partial<Activity> = {}): Activity {
  return {
    id: createId("relay_activity", createdAt),
    mode: "reverse",
    method: "POST",
    routes: ["/**"],
    status: 200,
    error: null,
    selections: [
      { direction: "request", action: "encrypt", type: "json", selector: "$.name", matched: 1, changed: 1 },
    ],
    leaks: [],
    tolerated: [],
    timing: { totalMs: 12.5, destinationMs: 10, engineMs: 1 },
    createdAt,
    ...settings,
  }
}

/** Returns a finished exchange with its recorded activity. */
export function finishedAs(activity: Activity): FinishedExchange {
  return { error: activity.error, hasLeaks: activity.leaks.length > 0, activity: () => activity }
}

export const timeout = {
  code: "request-timeout",
  stage: "destination",
  detail: "The destination took too long.",
} as const
