import { apiKey, endpoint } from "@sealway/http"
import { type AlertDependencies, requireRelayAlert } from "../alerts/manage-relay-alerts.ts"
import { alertPathSchema, alertSchema, showAlert } from "./alert-schema.ts"

export const getAlert = endpoint({
  id: "get-relay-alert",
  method: "GET",
  path: "/relays/{relay_id}/alerts/{alert_id}",
  tag: "Relays",
  summary: "Get an alert of a relay",
  description: "`GET /webhook-events` shows its deliveries.",
  auth: [apiKey("relayAlert:read")],
  reveals: "nothing",
  request: { path: alertPathSchema },
  status: 200,
  reply: { kind: "object", schema: alertSchema, description: "The alert" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config"],
  async answer({ principal: { app }, path }, dependencies: Pick<AlertDependencies, "configTable">) {
    return { body: showAlert(await requireRelayAlert(dependencies, app, path.relay_id, path.alert_id)) }
  },
})
