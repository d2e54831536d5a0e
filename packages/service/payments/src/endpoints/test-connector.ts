import { findAppOfTeam } from "@sealway/accounts"
import { endpoint, teamKey } from "@sealway/http"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { testConnector as test } from "../networks/connector/manage-connector.ts"
import { connectorPathSchema } from "./connector-schema.ts"

const replySchema = z
  .object({
    status: z.enum(["ok", "failed"]),
    reason: z
      .enum(["destination-refused", "timeout", "unreachable", "status-code", "invalid-answer"])
      .exactOptional()
      .describe("Why it failed; `destination-refused` when the address is not public"),
    statusCode: z.int().exactOptional().describe("HTTP status of a response that was not accepted"),
  })
  .meta({ id: "ConnectorTest" })

export const testConnector = endpoint({
  id: "test-connector",
  method: "POST",
  path: "/apps/{app_id}/connector/test",
  tag: "Connectors",
  summary: "Test a connector",
  description: "Sends one signed request to `/ping` under its URL and returns the result.",
  auth: [teamKey()],
  reveals: "nothing",
  request: { path: connectorPathSchema },
  status: 200,
  reply: { kind: "object", schema: replySchema, description: "The result of the test" },
  errors: ["not-found", "conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:GetItem/payments",
    "dynamodb:Query/keys",
    "kms:Decrypt/secret",
  ],
  async answer({ principal: { team }, path }, dependencies: PaymentDependencies) {
    const app = await findAppOfTeam(dependencies.directory, team.id, path.app_id)
    const result = await test(dependencies, app)
    if (result.status === "ok") return { body: { status: "ok" as const } }
    const { status, reason, statusCode } = result
    return { body: { status, reason, ...(statusCode !== null && { statusCode }) } }
  },
})
