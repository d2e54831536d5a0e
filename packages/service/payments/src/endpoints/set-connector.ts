import { findAppOfTeam } from "@sealway/accounts"
import { endpoint, teamKey } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import { connectorInputSchema } from "../networks/connector/connector-input.ts"
import { setConnector as set } from "../networks/connector/manage-connector.ts"
import { connectorPathSchema, connectorSetSchema, showConnector } from "./connector-schema.ts"

/** Two certificates with keys, at most 64 KB each. */
const MAX_CONNECTOR_BYTES = 256 * 1024

export const setConnector = endpoint({
  id: "set-connector",
  method: "PUT",
  path: "/apps/{app_id}/connector",
  tag: "Connectors",
  summary: "Set the connector of a production app",
  description:
    "The connector is a service of your processor that answers for the card networks. Sealway calls it over mutual TLS, and requests in both directions are signed by the Standard Webhooks scheme. The signing secret is shown only when a connector is first set: store it then. Changing the connector keeps its secrets.",
  auth: [teamKey()],
  reveals: "secrets",
  writes: true,
  request: {
    path: connectorPathSchema,
    body: { kind: "object", schema: connectorInputSchema, maxBytes: MAX_CONNECTOR_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: connectorSetSchema, description: "The connector" },
  errors: ["not-found", "conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:GetItem/payments",
    "dynamodb:PutItem/payments",
    "dynamodb:Query/keys",
    "kms:Decrypt/secret",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { team }, path, body, caller }, dependencies: PaymentDependencies) {
    const app = await findAppOfTeam(dependencies.directory, team.id, path.app_id)
    const { connector, secret } = await set(dependencies, app, body, authorOf(caller))
    return { body: { ...showConnector(connector), ...(secret !== null && { signingSecret: secret }) } }
  },
})
