import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { WebhookDependencies } from "../dependencies.ts"
import { eventPatternsSchema } from "../management/event-patterns.ts"
import { addEndpoint } from "../management/webhook-endpoints.ts"
import {
  descriptionSchema,
  endpointWithSecretSchema,
  MAX_PARAMETER_BYTES,
  showWithSecret,
  urlSchema,
} from "./endpoint-schema.ts"

const requestSchema = z.strictObject({
  url: urlSchema,
  events: eventPatternsSchema,
  description: descriptionSchema.default(null),
})

export const createEndpoint = endpoint({
  id: "create-webhook-endpoint",
  method: "POST",
  path: "/webhook-endpoints",
  tag: "Webhooks",
  summary: "Create a webhook endpoint",
  description:
    "Events are posted to the endpoint as `{id, type, data}`, signed by the Standard Webhooks scheme. The secret is shown only in this response: store it now. If you lose it, rotate it.",
  auth: [apiKey("webhookEndpoint:create")],
  reveals: "secrets",
  writes: true,
  request: { body: { kind: "object", schema: requestSchema, maxBytes: MAX_PARAMETER_BYTES } },
  status: 201,
  reply: { kind: "object", schema: endpointWithSecretSchema, description: "The endpoint, with its secret" },
  errors: ["conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:Query/config",
    "dynamodb:PutItem/config",
    "dynamodb:DeleteItem/config",
    "dynamodb:Query/keys",
    "kms:Decrypt/secret",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, body, caller }, dependencies: WebhookDependencies) {
    const settings = { ...body, status: "enabled" } as const
    return { body: showWithSecret(await addEndpoint(dependencies, app, settings, authorOf(caller))) }
  },
})
