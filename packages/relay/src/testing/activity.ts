import { createId } from "@sealway/kernel"
import type { Activity } from "../activity/activity.ts"
import type { Relay } from "../relay.ts"
import type { FinishedExchange } from "../relay-observer.ts"

export const RELAY: Relay = {
  id: "relay_00000000000000000000000001",
  teamId: "team_1",
  appId: "app_1",
  destinationDomain: "api.example.com",
  destination: { scheme: "https", host: "api.example.com", port: 443 },
  relayDomain: "api-example-com.app-1.relay.example.com",
  routes: [],
  authentication: null,
  encryptEmptyStrings: true,
  clientCertificate: null,
  leakWatch: "off",
  caseSensitiveNames: false,
  unknownContentTypes: "refuse",
  unencryptableErrors: "refuse",
  createdAt: 0,
  updatedAt: 0,
  revision: 1,
}

/** A request that came at a time and was passed on. */
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
    timing: { totalMs: 12.5, destinationMs: 10, engineMs: 1 },
    createdAt,
    ...settings,
  }
}

/** An exchange that is over, with the activity that is kept of it. */
export function finishedAs(activity: Activity): FinishedExchange {
  return { error: activity.error, hasLeaks: activity.leaks.length > 0, activity: () => activity }
}

export const timeout = {
  code: "request-timeout",
  stage: "destination",
  detail: "The destination took too long.",
} as const
