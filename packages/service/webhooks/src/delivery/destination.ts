import type { App } from "@sealway/accounts"
import { callbackSecretsInForce } from "@sealway/keys"
import { appPartition } from "@sealway/ports"
import * as z from "zod"
import type { WorkerDependencies } from "../dependencies.ts"
import { eventDataOf } from "../records/event-data.ts"
import type { WebhookEndpoint } from "../records/webhook-endpoint-table.ts"
import { endpointRecords } from "../records/webhook-endpoint-table.ts"
import type { WebhookEvent } from "../records/webhook-event-table.ts"
import { asciiJson, eventBody } from "../signing/sign-event.ts"
import { openSecretsInForce } from "./send-event.ts"

/** Replaces an endpoint's id for the event's own callback URL. */
export const CALLBACK = "callback"

/** The destination of a delivery, its body, and the secrets that sign it. */
export interface Destination {
  readonly url: string
  readonly body: string
  /** `whsec_…`, newest first. */
  readonly secrets: readonly string[]
  /** Null for a callback and for the event's own recipients, which cannot be disabled. */
  readonly endpoint: WebhookEndpoint | null
}

const recipientRecordSchema = z.object({ url: z.string() })

/**
 * Finds the destination; null when the endpoint is gone or disabled.
 *
 * @throws key errors, which are not the receiver's failure
 */
export async function findDestination(
  { configTable, eventsTable, keyring, wallClock }: WorkerDependencies,
  app: App,
  event: WebhookEvent,
  endpointId: string,
): Promise<Destination | null> {
  const body = eventBody({ ...event, data: await eventDataOf({ keyring, eventsTable }, app, event) })
  if (endpointId === CALLBACK) {
    if (event.callbackUrl === null) return null
    return {
      url: event.callbackUrl,
      body,
      secrets: await callbackSecretsInForce(keyring, app),
      endpoint: null,
    }
  }
  const recipient = event.recipients.find(({ id }) => id === endpointId)
  if (recipient !== undefined) {
    const record = await configTable.get({ pk: appPartition(app.id), sk: recipient.recordKey })
    if (record === null) return null
    return {
      url: recipientRecordSchema.parse(record).url,
      body: asciiJson(recipient.body),
      secrets: await callbackSecretsInForce(keyring, app),
      endpoint: null,
    }
  }
  const endpoint = await endpointRecords.find(configTable, app.id, { id: endpointId })
  if (endpoint === null || endpoint.status === "disabled") return null
  return {
    url: endpoint.url,
    body,
    secrets: await openSecretsInForce(keyring, app, endpoint, wallClock()),
    endpoint,
  }
}
