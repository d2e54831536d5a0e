import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { WebhookDependencies } from "../dependencies.ts"
import { eventPatternsSchema } from "../management/event-patterns.ts"
import { addListener } from "../management/webhook-listeners.ts"
import { MAX_PARAMETER_BYTES } from "./endpoint-schema.ts"
import { listenerSchema, showListener } from "./listener-schema.ts"

const requestSchema = z.strictObject({ events: eventPatternsSchema.default(["*"]) })

export const createListener = endpoint({
  id: "create-webhook-listener",
  method: "POST",
  path: "/webhook-listeners",
  tag: "Webhooks",
  summary: "Create a webhook listener",
  description:
    "For a machine that Sealway cannot reach, such as a developer's: events of the given types wait up to an hour for the machine to fetch them. The listener receives events from 10 seconds after its creation on, and ends when nothing was fetched for 15 minutes. An app has 10 listeners at most.",
  auth: [apiKey("webhookEvent:listen")],
  reveals: "nothing",
  writes: true,
  request: { body: { kind: "object", schema: requestSchema, maxBytes: MAX_PARAMETER_BYTES } },
  status: 201,
  reply: { kind: "object", schema: listenerSchema, description: "The listener" },
  errors: ["conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:Query/config",
    "dynamodb:PutItem/config",
    "dynamodb:DeleteItem/config",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, body, caller }, dependencies: WebhookDependencies) {
    return { body: showListener(await addListener(dependencies, app, body.events, authorOf(caller))) }
  },
})
