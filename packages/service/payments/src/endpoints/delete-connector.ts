import { findAppOfTeam } from "@sealway/accounts"
import { endpoint, teamKey } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import { deleteConnector as remove } from "../networks/connector/manage-connector.ts"
import { connectorPathSchema } from "./connector-schema.ts"

export const deleteConnector = endpoint({
  id: "delete-connector",
  method: "DELETE",
  path: "/apps/{app_id}/connector",
  tag: "Connectors",
  summary: "Delete the connector of an app",
  description:
    "Within 10 seconds, every request that needs the card networks returns 503 `service-unavailable`. The connector's secrets and certificates are deleted.",
  auth: [teamKey()],
  reveals: "nothing",
  writes: true,
  request: { path: connectorPathSchema },
  status: 204,
  reply: { kind: "none", description: "The connector is deleted" },
  errors: ["not-found", "conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:GetItem/payments",
    "dynamodb:DeleteItem/payments",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { team }, path, caller }, dependencies: PaymentDependencies) {
    const app = await findAppOfTeam(dependencies.directory, team.id, path.app_id)
    await remove(dependencies, app, authorOf(caller))
    return { body: null }
  },
})
