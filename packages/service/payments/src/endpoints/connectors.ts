import { findAppOfTeam } from "@sealway/accounts"
import { deletingEndpoint, readingEndpoint, teamKey } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import { deleteConnector as remove, requireConnector } from "../networks/connector/manage-connector.ts"
import { connectorPathSchema, connectorSchema, showConnector } from "./connector-schema.ts"

export const getConnector = readingEndpoint({
  id: "get-connector",
  path: "/apps/{app_id}/connector",
  tag: "Connectors",
  summary: "Get the connector of an app",
  description: "The private key and the signing secret are not shown.",
  auth: [teamKey()],
  request: { path: connectorPathSchema },
  schema: connectorSchema,
  reply: "The connector",
  grants: ["dynamodb:GetItem/config", "dynamodb:GetItem/payments"],
  async read({ principal: { team }, path }, dependencies: PaymentDependencies) {
    const app = await findAppOfTeam(dependencies.directory, team.id, path.app_id)
    return showConnector(await requireConnector(dependencies, app))
  },
})

export const deleteConnector = deletingEndpoint({
  id: "delete-connector",
  path: "/apps/{app_id}/connector",
  tag: "Connectors",
  summary: "Delete the connector of an app",
  description:
    "Within 10 seconds, every request that needs the card networks returns 503 `service-unavailable`. The connector's secrets and certificates are deleted.",
  auth: [teamKey()],
  request: { path: connectorPathSchema },
  reply: "The connector is deleted",
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:GetItem/payments",
    "dynamodb:DeleteItem/payments",
    ...AUDIT_GRANTS,
  ],
  async remove({ principal: { team }, path, caller }, dependencies: PaymentDependencies) {
    const app = await findAppOfTeam(dependencies.directory, team.id, path.app_id)
    await remove(dependencies, app, authorOf(caller))
  },
})
