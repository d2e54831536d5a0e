import { idParameter } from "@sealway/http"
import * as z from "zod"

export const sessionPathSchema = z.object({ session_id: idParameter("tds", "Id of the session") })

/** Part of a URL that networks and browsers receive. A value of another shape names nothing. */
export const capabilityParameter = (description: string) =>
  z.string().max(64).meta({ description, pattern: "^[A-Za-z0-9_-]{1,64}$" })

export const transactionPathSchema = z.object({
  app_id: idParameter("app", "Id of the app"),
  transaction_id: capabilityParameter("The networks' id of the session"),
})

/** Existing browser SDKs send the app in the second header. */
export const browserHeadersSchema = z.object({
  "x-service-app-id": z.string().max(64).optional().describe("Id of the app"),
  "x-evervault-app-id": z.string().max(64).optional().describe("Accepted instead of X-Service-App-Id"),
})

/** What issuers learn about the browser from its request. */
export const browserFactsSchema = browserHeadersSchema.extend({
  accept: z.string().max(8_192).default("*/*"),
  "accept-language": z.string().max(8_192).default(""),
  "user-agent": z.string().max(8_192).default(""),
})

export function appIdOf(headers: {
  readonly "x-service-app-id"?: string | undefined
  readonly "x-evervault-app-id"?: string | undefined
}): string {
  return headers["x-service-app-id"] ?? headers["x-evervault-app-id"] ?? ""
}
