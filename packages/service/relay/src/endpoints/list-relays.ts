import { apiKey, endpoint, listQuerySchema, listReplySchema, replyOf } from "@sealway/http"
import type { RelayDependencies } from "../dependencies.ts"
import { MAX_RELAY_BYTES } from "../management/relay-input.ts"
import { pageRelays } from "../records/relay-table.ts"
import { relaySchema, showRelay } from "./relay-schema.ts"

/** As it is stored, and as it is shown. */
const RELAY_COPIES = 2

export const listRelays = endpoint({
  id: "list-relays",
  method: "GET",
  path: "/relays",
  tag: "Relays",
  summary: "List the app's relays",
  description:
    "Newest first. `domainStatus` dates from the last time that the relay was read or changed individually.",
  auth: [apiKey("relay:list")],
  reveals: "nothing",
  request: { query: listQuerySchema("relay") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(relaySchema, "RelayList"),
    description: "A page of relays",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/config", "dynamodb:GetItem/config"],
  async answer({ principal: { app }, query, task }, { configTable, wallClock }: RelayDependencies) {
    await task.reserveAtMost(query.limit * RELAY_COPIES * MAX_RELAY_BYTES)
    const page = await pageRelays(configTable, app.id, query)
    return { body: replyOf(page, (each) => showRelay(each, wallClock())) }
  },
})
