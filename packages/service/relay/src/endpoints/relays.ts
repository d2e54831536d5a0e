import { apiKey, listQuerySchema, listReplySchema, readingEndpoint, replyOf } from "@sealway/http"
import type { RelayDependencies } from "../dependencies.ts"
import { EDGE_STATUS_GRANTS } from "../edge/relay-edge.ts"
import { showRelayNow } from "../management/manage-relays.ts"
import { MAX_RELAY_BYTES } from "../management/relay-input.ts"
import { pageRelays } from "../records/relay-table.ts"
import { relayPathSchema, relaySchema, showRelay } from "./relay-schema.ts"

/** As it is stored, and as it is shown. */
const RELAY_COPIES = 2

export const listRelays = readingEndpoint({
  id: "list-relays",
  path: "/relays",
  tag: "Relays",
  summary: "List the app's relays",
  description:
    "Newest first. `domainStatus` dates from the last time that the relay was read or changed individually.",
  auth: [apiKey("relay:list")],
  request: { query: listQuerySchema("relay") },
  schema: listReplySchema(relaySchema, "RelayList"),
  reply: "A page of relays",
  grants: ["dynamodb:Query/config", "dynamodb:GetItem/config"],
  async read({ principal: { app }, query, task }, { configTable, wallClock }: RelayDependencies) {
    await task.reserveAtMost(query.limit * RELAY_COPIES * MAX_RELAY_BYTES)
    const page = await pageRelays(configTable, app.id, query)
    return replyOf(page, (each) => showRelay(each, wallClock()))
  },
})

export const getRelay = readingEndpoint({
  id: "get-relay",
  path: "/relays/{relay_id}",
  tag: "Relays",
  summary: "Get a relay",
  description: "If its domain is not active yet, this refreshes `domainStatus`.",
  auth: [apiKey("relay:read")],
  request: { path: relayPathSchema },
  schema: relaySchema,
  reply: "The relay",
  grants: ["dynamodb:GetItem/config", "dynamodb:PutItem/config", ...EDGE_STATUS_GRANTS],
  async read({ principal: { app }, path }, dependencies: RelayDependencies) {
    const found = await showRelayNow(dependencies, app, path.relay_id)
    return showRelay(found, dependencies.wallClock())
  },
})
