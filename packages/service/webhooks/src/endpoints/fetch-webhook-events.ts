import { apiKey, endpoint } from "@sealway/http"
import * as z from "zod"
import type { WebhookDependencies } from "../dependencies.ts"
import { fetchEvents } from "../management/webhook-listeners.ts"
import { MAX_PARAMETER_BYTES } from "./endpoint-schema.ts"
import { fetchedEventsSchema, listenerPathSchema, showFetched } from "./listener-schema.ts"

const MAX_HANDLED = 100
const MAX_ID_CHARACTERS = 64

const requestSchema = z.strictObject({
  handled: z
    .array(z.string().max(MAX_ID_CHARACTERS))
    .max(MAX_HANDLED)
    .default([])
    .describe("Ids of events from earlier responses that must not be returned again"),
})

export const fetchWebhookEvents = endpoint({
  id: "fetch-webhook-events",
  method: "POST",
  path: "/webhook-listeners/{webhook_listener_id}/fetch",
  tag: "Webhooks",
  summary: "Fetch the events that wait for a listener",
  description:
    "Returns events at least once, in the order in which they were published: an event is returned again until `handled` names it. Safe to retry. Responds at once, even when no event waits.",
  auth: [apiKey("webhookEvent:listen")],
  // The event of a 3-D Secure session has its cryptogram.
  reveals: "credentials",
  request: {
    path: listenerPathSchema,
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_PARAMETER_BYTES, mayBeEmpty: true },
  },
  status: 200,
  reply: { kind: "object", schema: fetchedEventsSchema, description: "Up to 20 events" },
  errors: ["not-found"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:PutItem/config",
    "dynamodb:Query/keys",
    "dynamodb:GetItem/events",
    "dynamodb:Query/events",
    "dynamodb:DeleteItem/events",
    "kms:Decrypt/secret",
  ],
  async answer({ principal: { app }, path, body }, dependencies: WebhookDependencies) {
    const { handled } = body
    return { body: showFetched(await fetchEvents(dependencies, app, path.webhook_listener_id, handled)) }
  },
})
