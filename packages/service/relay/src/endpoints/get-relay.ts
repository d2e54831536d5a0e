import { apiKey, endpoint } from "@sealway/http"
import type { RelayDependencies } from "../dependencies.ts"
import { EDGE_STATUS_GRANTS } from "../edge/relay-edge.ts"
import { showRelayNow } from "../management/manage-relays.ts"
import { relayPathSchema, relaySchema, showRelay } from "./relay-schema.ts"

export const getRelay = endpoint({
  id: "get-relay",
  method: "GET",
  path: "/relays/{relay_id}",
  tag: "Relays",
  summary: "Get a relay",
  description: "If its domain is not active yet, this refreshes `domainStatus`.",
  auth: [apiKey("relay:read")],
  reveals: "nothing",
  request: { path: relayPathSchema },
  status: 200,
  reply: { kind: "object", schema: relaySchema, description: "The relay" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:PutItem/config", ...EDGE_STATUS_GRANTS],
  async answer({ principal: { app }, path }, dependencies: RelayDependencies) {
    const found = await showRelayNow(dependencies, app, path.relay_id)
    return { body: showRelay(found, dependencies.wallClock()) }
  },
})
