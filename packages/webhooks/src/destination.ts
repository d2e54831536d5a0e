import { type App, callbackSecretsInForce } from "@sealway/platform"
import type { WorkerDependencies } from "./dependencies.ts"
import { openSecretsInForce } from "./send-event.ts"
import type { WebhookEndpoint } from "./webhook-endpoint.ts"
import { findWebhookEndpoint } from "./webhook-endpoint-table.ts"
import type { WebhookEvent } from "./webhook-event-table.ts"

/** Stands in the place of an endpoint's id for the URL that an event itself is to be delivered to. */
export const CALLBACK = "callback"

/** Where an event goes, and what signs it. */
export interface Destination {
  readonly url: string
  /** `whsec_…`, newest first. */
  readonly secrets: readonly string[]
  /** Null for a callback, which nobody can disable. */
  readonly endpoint: WebhookEndpoint | null
}

/** Null: the endpoint is gone or disabled. @throws what the keys throw: that is no failure of the receiver's */
export async function findDestination(
  { configTable, keyring, wallClock }: WorkerDependencies,
  app: App,
  { callbackUrl }: WebhookEvent,
  endpointId: string,
): Promise<Destination | null> {
  if (endpointId === CALLBACK) {
    if (callbackUrl === null) return null
    return { url: callbackUrl, secrets: await callbackSecretsInForce(keyring, app), endpoint: null }
  }
  const endpoint = await findWebhookEndpoint(configTable, app.id, endpointId)
  if (endpoint === null || endpoint.status === "disabled") return null
  return {
    url: endpoint.url,
    secrets: await openSecretsInForce(keyring, app, endpoint, wallClock()),
    endpoint,
  }
}
