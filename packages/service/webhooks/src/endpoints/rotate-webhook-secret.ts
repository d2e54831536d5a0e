import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { WebhookDependencies } from "../dependencies.ts"
import { rotateEndpointSecret } from "../management/webhook-endpoints.ts"
import {
  endpointPathSchema,
  endpointWithSecretSchema,
  MAX_PARAMETER_BYTES,
  showWithSecret,
} from "./endpoint-schema.ts"

const DEFAULT_OVERLAP_SECONDS = 24 * 60 * 60
const MAX_OVERLAP_SECONDS = 7 * 24 * 60 * 60

const requestSchema = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .default(DEFAULT_OVERLAP_SECONDS)
    .describe("How long the old secret also signs, up to 7 days. Default: one day"),
})

export const rotateSecret = endpoint({
  id: "rotate-webhook-secret",
  method: "POST",
  path: "/webhook-endpoints/{webhook_endpoint_id}/rotate-secret",
  tag: "Webhooks",
  summary: "Rotate the secret of a webhook endpoint",
  description:
    "The new secret is shown only in this response: store it now. Until the overlap ends, events carry a signature by the old secret too, so that receivers can switch at any time.",
  auth: [apiKey("webhookEndpoint:update")],
  reveals: "secrets",
  writes: true,
  request: {
    path: endpointPathSchema,
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_PARAMETER_BYTES },
  },
  status: 200,
  reply: {
    kind: "object",
    schema: endpointWithSecretSchema,
    description: "The endpoint, with its new secret",
  },
  errors: ["not-found", "conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:Query/config",
    "dynamodb:PutItem/config",
    "dynamodb:Query/keys",
    "kms:Decrypt/secret",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, path, body, caller }, dependencies: WebhookDependencies) {
    const overlapMs = body.overlapSeconds * 1000
    const id = path.webhook_endpoint_id
    return {
      body: showWithSecret(await rotateEndpointSecret(dependencies, app, id, overlapMs, authorOf(caller))),
    }
  },
})
