import { idParameter } from "@sealway/http"
import { MAX_DESTINATION_URL_CHARACTERS } from "@sealway/kernel"
import * as z from "zod"
import { ALERT_TYPES, type RelayAlert } from "../alerts/relay-alert.ts"
import { relayPathSchema } from "./relay-schema.ts"

/** Enough for any request about alerts. */
export const MAX_ALERT_BYTES = 16 * 1024

export const alertPathSchema = relayPathSchema.extend({
  alert_id: idParameter("relay_alert", "Id of the alert"),
})

export const alertTypeSchema = z
  .enum(ALERT_TYPES)
  .describe(
    "`webhook`: all fields; `chat`: a JSON object with a `text`, for the incoming webhooks of chat tools",
  )

export const alertUrlSchema = z
  .string()
  .max(MAX_DESTINATION_URL_CHARACTERS)
  .describe("URL that alerts are posted to. Must be https, without credentials, at a public address")

export const alertSchema = z
  .object({
    id: z.string(),
    relay: z.string().describe("Id of the relay"),
    type: alertTypeSchema,
    url: alertUrlSchema,
    createdAt: z.int().describe("Epoch milliseconds"),
    updatedAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "RelayAlert" })

export function showAlert({
  id,
  relayId,
  type,
  url,
  createdAt,
  updatedAt,
}: RelayAlert): z.infer<typeof alertSchema> {
  return { id, relay: relayId, type, url, createdAt, updatedAt }
}
