import { idParameter } from "@sealway/http"
import { MAX_DESTINATION_URL_CHARACTERS, ONE_LINE, ONE_LINE_RULE } from "@sealway/kernel"
import * as z from "zod"
import type { EndpointWithSecret } from "../management/webhook-endpoints.ts"
import type { WebhookEndpoint } from "../records/webhook-endpoint-table.ts"

/** Enough for any request here. */
export const MAX_PARAMETER_BYTES = 16 * 1024

export const endpointPathSchema = z.object({
  webhook_endpoint_id: idParameter("webhook_endpoint", "Id of the webhook endpoint"),
})

export const urlSchema = z
  .string()
  .max(MAX_DESTINATION_URL_CHARACTERS)
  .describe("URL that events are posted to. Must be https, without credentials, at a public address")

export const descriptionSchema = z
  .string()
  .max(200)
  .regex(ONE_LINE, ONE_LINE_RULE)
  .nullable()
  .describe("Up to 200 characters, for people; null for none")

export const statusSchema = z
  .enum(["enabled", "disabled"])
  .describe("A disabled endpoint receives no events. A receiver that responds 410 disables its endpoint")

const endpointFields = {
  id: z.string(),
  url: urlSchema,
  events: z.array(z.string()),
  description: descriptionSchema,
  status: statusSchema,
  createdAt: z.int().describe("Epoch milliseconds"),
  updatedAt: z.int().describe("Epoch milliseconds"),
}

export const endpointSchema = z.object(endpointFields).meta({ id: "WebhookEndpoint" })

export const endpointWithSecretSchema = z
  .object({
    ...endpointFields,
    secret: z.string().describe("Signs the events. It is shown only once: store it now"),
  })
  .meta({ id: "WebhookEndpointWithSecret" })

export function showEndpoint(endpoint: WebhookEndpoint) {
  const { id, url, events, description, status, createdAt, updatedAt } = endpoint
  return { id, url, events: [...events], description, status, createdAt, updatedAt }
}

export function showWithSecret({ endpoint, secret }: EndpointWithSecret) {
  return { ...showEndpoint(endpoint), secret }
}
