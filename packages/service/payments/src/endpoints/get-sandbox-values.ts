import { apiKey, endpoint } from "@sealway/http"
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

export const getSandboxValues = endpoint({
  id: "get-sandbox-values",
  method: "GET",
  path: "/payments/sandbox",
  tag: "Payments",
  summary: "List the test values of the sandbox",
  description: "Each value causes one outcome. Other values succeed. Use any API key of a sandbox app.",
  auth: [apiKey()],
  reveals: "nothing",
  status: 200,
  reply: { kind: "object", schema: replySchema, description: "The test values" },
  errors: [],
  grants: [],
  answer({ principal: { app } }, _: PaymentDependencies) {
    if (app.environment !== "sandbox") throw new ForbiddenError("Test values are for sandbox apps.")
    return { body: { data: SANDBOX_VALUES.map((each) => ({ ...each })) } }
  },
})
