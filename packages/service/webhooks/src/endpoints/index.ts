import type { Endpoint } from "@sealway/http"
import type { WebhookDependencies } from "../dependencies.ts"
import { createEndpoint } from "./create-webhook-endpoint.ts"
import { createListener } from "./create-webhook-listener.ts"
import { deleteListener } from "./delete-webhook-listener.ts"
import { fetchWebhookEvents } from "./fetch-webhook-events.ts"
import { replayWebhookEvent } from "./replay-webhook-event.ts"
import { rotateSecret } from "./rotate-webhook-secret.ts"
import { testEndpoint } from "./test-webhook-endpoint.ts"
import { triggerWebhookEvent } from "./trigger-webhook-event.ts"
import { updateEndpoint } from "./update-webhook-endpoint.ts"
import { deleteEndpoint, getEndpoint, listEndpoints } from "./webhook-endpoints.ts"
import { getWebhookEvent, listWebhookEvents } from "./webhook-events.ts"

export const webhookEndpoints: readonly Endpoint<WebhookDependencies>[] = [
  createEndpoint,
  listEndpoints,
  getEndpoint,
  updateEndpoint,
  deleteEndpoint,
  rotateSecret,
  testEndpoint,
  listWebhookEvents,
  getWebhookEvent,
  replayWebhookEvent,
  triggerWebhookEvent,
  createListener,
  fetchWebhookEvents,
  deleteListener,
]
