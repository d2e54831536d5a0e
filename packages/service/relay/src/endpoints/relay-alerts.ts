import {
  apiKey,
  deletingEndpoint,
  listQuerySchema,
  listReplySchema,
  pageOf,
  readingEndpoint,
  replyOf,
} from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import { type AlertDependencies, dropRelayAlert, requireRelayAlert } from "../alerts/manage-relay-alerts.ts"
import { listRelayAlerts } from "../alerts/relay-alert-table.ts"
import { requireRelay } from "../records/require-relay.ts"
import { alertPathSchema, alertSchema, showAlert } from "./alert-schema.ts"
import { relayPathSchema } from "./relay-schema.ts"

export const listAlerts = readingEndpoint({
  id: "list-relay-alerts",
  path: "/relays/{relay_id}/alerts",
  tag: "Relays",
  summary: "List the alerts of a relay",
  description: "Newest first.",
  auth: [apiKey("relayAlert:list")],
  request: { path: relayPathSchema, query: listQuerySchema("relay_alert") },
  schema: listReplySchema(alertSchema, "RelayAlertList"),
  reply: "A page of alerts",
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/config"],
  async read({ principal: { app }, path, query }, dependencies: Pick<AlertDependencies, "configTable">) {
    const relay = await requireRelay(dependencies, app, path.relay_id)
    const alerts = await listRelayAlerts(dependencies.configTable, app.id, relay.id)
    return replyOf(pageOf(alerts, query), showAlert)
  },
})

export const getAlert = readingEndpoint({
  id: "get-relay-alert",
  path: "/relays/{relay_id}/alerts/{alert_id}",
  tag: "Relays",
  summary: "Get an alert of a relay",
  description: "`GET /webhook-events` shows its deliveries.",
  auth: [apiKey("relayAlert:read")],
  request: { path: alertPathSchema },
  schema: alertSchema,
  reply: "The alert",
  grants: ["dynamodb:GetItem/config"],
  async read({ principal: { app }, path }, dependencies: Pick<AlertDependencies, "configTable">) {
    return showAlert(await requireRelayAlert(dependencies, app, path.relay_id, path.alert_id))
  },
})

export const deleteAlert = deletingEndpoint({
  id: "delete-relay-alert",
  path: "/relays/{relay_id}/alerts/{alert_id}",
  tag: "Relays",
  summary: "Delete an alert of a relay",
  description: "Its pending deliveries are cancelled.",
  auth: [apiKey("relayAlert:delete")],
  request: { path: alertPathSchema },
  reply: "The alert is deleted",
  grants: ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config", ...AUDIT_GRANTS],
  async remove({ principal: { app }, path, caller }, dependencies: AlertDependencies) {
    const place = { relayId: path.relay_id, id: path.alert_id }
    await dropRelayAlert(dependencies, app, place, authorOf(caller))
  },
})
