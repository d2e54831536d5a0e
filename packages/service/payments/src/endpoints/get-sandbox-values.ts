import { apiKey, readingEndpoint } from "@sealway/http"
import { ForbiddenError } from "@sealway/kernel"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { SANDBOX_AREAS, SANDBOX_VALUES } from "../networks/sandbox/published-values.ts"

const replySchema = z
  .object({
    data: z.array(
      z.object({
        area: z.enum(SANDBOX_AREAS),
        field: z.string().describe("Request field in which to send the value"),
        value: z.string(),
        outcome: z.string().describe("Outcome that the value causes"),
      }),
    ),
  })
  .meta({ id: "SandboxValues" })

export const getSandboxValues = readingEndpoint({
  id: "get-sandbox-values",
  path: "/payments/sandbox",
  tag: "Payments",
  summary: "List the test values of the sandbox",
  description: "Each value causes one outcome. Other values succeed. Use any API key of a sandbox app.",
  auth: [apiKey()],
  schema: replySchema,
  reply: "The test values",
  grants: [],
  read({ principal: { app } }, _: PaymentDependencies) {
    if (app.environment !== "sandbox") throw new ForbiddenError("Test values are for sandbox apps.")
    return { data: SANDBOX_VALUES.map((each) => ({ ...each })) }
  },
})
