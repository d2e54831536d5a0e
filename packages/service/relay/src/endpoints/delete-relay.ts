import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { RelayDependencies } from "../dependencies.ts"
import { EDGE_DETACH_GRANTS } from "../edge/relay-edge.ts"
import { removeRelay } from "../management/manage-relays.ts"
import { relayPathSchema } from "./relay-schema.ts"

export const deleteRelay = endpoint({
  id: "delete-relay",
  method: "DELETE",
  path: "/relays/{relay_id}",
  tag: "Relays",
  summary: "Delete a relay",
  description:
    "Deletes its custom domains and alerts too. Requests to its domains are refused within seconds; the edge removes the domains some minutes later.",
  auth: [apiKey("relay:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: relayPathSchema },
  status: 202,
  reply: { kind: "none", description: "The relay is deleted" },
  errors: ["not-found"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:Query/config",
    "dynamodb:DeleteItem/config",
    ...EDGE_DETACH_GRANTS,
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, path, caller }, dependencies: RelayDependencies) {
    await removeRelay(dependencies, app, path.relay_id, authorOf(caller))
    return { body: null }
  },
})
