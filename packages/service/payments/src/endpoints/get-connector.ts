import { findAppOfTeam } from "@sealway/accounts"
import { endpoint, teamKey } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { requireConnector } from "../networks/connector/manage-connector.ts"
import { connectorPathSchema, connectorSchema, showConnector } from "./connector-schema.ts"

export const getConnector = endpoint({
  id: "get-connector",
  method: "GET",
  path: "/apps/{app_id}/connector",
  tag: "Connectors",
  summary: "Get the connector of an app",
  description: "The private key and the signing secret are not shown.",
  auth: [teamKey()],
  reveals: "nothing",
  request: { path: connectorPathSchema },
  status: 200,
  reply: { kind: "object", schema: connectorSchema, description: "The connector" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:GetItem/payments"],
  async answer({ principal: { team }, path }, dependencies: PaymentDependencies) {
    const app = await findAppOfTeam(dependencies.directory, team.id, path.app_id)
    return { body: showConnector(await requireConnector(dependencies, app)) }
  },
})
