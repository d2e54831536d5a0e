import { apiKey, endpoint, listQuerySchema, listReplySchema, pageOf, replyOf } from "@sealway/http"
import type { AlertDependencies } from "../alerts/manage-relay-alerts.ts"
import { listRelayAlerts } from "../alerts/relay-alert-table.ts"
import { requireRelay } from "../records/require-relay.ts"
import { alertSchema, showAlert } from "./alert-schema.ts"
import { relayPathSchema } from "./relay-schema.ts"

export const listAlerts = endpoint({
  id: "list-relay-alerts",
  method: "GET",
  path: "/relays/{relay_id}/alerts",
  tag: "Relays",
  summary: "List the alerts of a relay",
  description: "Newest first.",
  auth: [apiKey("relayAlert:list")],
  reveals: "nothing",
  request: { path: relayPathSchema, query: listQuerySchema("relay_alert") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(alertSchema, "RelayAlertList"),
    description: "A page of alerts",
  },
  errors: ["not-found", "invalid-request"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/config"],
  async answer({ principal: { app }, path, query }, dependencies: Pick<AlertDependencies, "configTable">) {
    const relay = await requireRelay(dependencies, app, path.relay_id)
    const alerts = await listRelayAlerts(dependencies.configTable, app.id, relay.id)
    return { body: replyOf(pageOf(alerts, query), showAlert) }
  },
})
