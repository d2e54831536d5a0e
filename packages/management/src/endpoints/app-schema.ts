import type { App } from "@sealway/platform"
import * as z from "zod"
import { allowedOriginsSchema } from "../allowed-origins.ts"

export const environmentSchema = z.enum(["sandbox", "production"]).describe("For good: values never mix")
export const statusSchema = z
  .enum(["enabled", "disabled"])
  .describe("The credentials of a disabled app are refused")
export const appSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    environment: environmentSchema,
    status: statusSchema,
    allowedOrigins: allowedOriginsSchema,
    createdAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "App" })

export const showApp = ({ id, name, environment, status, allowedOrigins, createdAt }: App) => ({
  id,
  name,
  environment,
  status,
  allowedOrigins: [...allowedOrigins],
  createdAt,
})
