import type { App } from "@sealway/platform"
import * as z from "zod"
import { allowedOriginsSchema } from "../accounts/allowed-origins.ts"

export const environmentSchema = z
  .enum(["sandbox", "production"])
  .describe("Cannot be changed: the values of sandbox and production apps never mix")
export const statusSchema = z
  .enum(["enabled", "disabled"])
  .describe("The credentials of a disabled app are refused")
export const cardInsightsSchema = z
  .boolean()
  .describe("Whether a production app may request card insights. Sandbox apps always may")
export const appSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    environment: environmentSchema,
    status: statusSchema,
    allowedOrigins: allowedOriginsSchema,
    cardInsights: cardInsightsSchema,
    createdAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "App" })

export const showApp = ({ id, name, environment, status, allowedOrigins, cardInsights, createdAt }: App) => ({
  id,
  name,
  environment,
  status,
  allowedOrigins: [...allowedOrigins],
  cardInsights,
  createdAt,
})
