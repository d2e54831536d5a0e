import { apiKey, listQuerySchema, listReplySchema, readingEndpoint, replyOf } from "@sealway/http"
import * as z from "zod"
import type { HoneyDependencies } from "../dependencies.ts"
import { requireHoneyToken } from "../management/manage-honey-tokens.ts"
import { type HoneyTouch, touchRecords, withinToken } from "../records/honey-touch-table.ts"
import { honeyTokenPathSchema } from "./honey-token-schema.ts"

const touchSchema = z
  .object({
    id: z.string(),
    actor: z.object({ type: z.string(), id: z.string() }).describe("Who: the credential or member"),
    way: z
      .object({
        endpoint: z.string().optional(),
        relay: z.string().optional(),
        direction: z.string().optional(),
        function: z.string().optional(),
        run: z.string().optional(),
        enclave: z.string().optional(),
      })
      .describe("Where it was tried"),
    count: z.int().describe("How many requests in the hour"),
    firstAt: z.int().describe("Epoch milliseconds"),
    lastAt: z.int().describe("Epoch milliseconds"),
    ips: z.array(z.string()).describe("The latest 10 addresses"),
    requestIds: z.array(z.string()).describe("The latest 10 requests"),
  })
  .meta({ id: "HoneyTouch" })

export const listHoneyTouches = readingEndpoint({
  id: "list-honey-touches",
  path: "/honey-tokens/{honey_token_id}/touches",
  tag: "Honey Tokens",
  summary: "List the touches of a honey token",
  description:
    "Newest first. A touch is all attempts of one caller, in one way, within one hour. Touches are kept for 400 days.",
  auth: [apiKey("honeyToken:read")],
  request: { path: honeyTokenPathSchema, query: listQuerySchema("honey_touch") },
  schema: listReplySchema(touchSchema, "HoneyTouchList"),
  reply: "A page of touches",
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/events"],
  async read({ principal: { app }, path, query }, dependencies: HoneyDependencies) {
    const { id } = await requireHoneyToken(dependencies, app, path.honey_token_id)
    const page = await touchRecords.page(dependencies.eventsTable, app.id, query, withinToken(id))
    return replyOf(page, showTouch)
  },
})

function showTouch({ id, actor, way, count, firstAt, lastAt, ips, requestIds }: HoneyTouch) {
  return { id, actor, way, count, firstAt, lastAt, ips: [...ips], requestIds: [...requestIds] }
}
