import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import { type AlertDependencies, dropRelayAlert } from "../alerts/manage-relay-alerts.ts"
import { alertPathSchema } from "./alert-schema.ts"

export const deleteAlert = endpoint({
  id: "delete-relay-alert",
  method: "DELETE",
  path: "/relays/{relay_id}/alerts/{alert_id}",
  tag: "Relays",
  summary: "Delete an alert of a relay",
  description: "Its pending deliveries are cancelled.",
  auth: [apiKey("relayAlert:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: alertPathSchema },
  status: 204,
  reply: { kind: "none", description: "The alert is deleted" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, caller }, dependencies: AlertDependencies) {
    const place = { relayId: path.relay_id, id: path.alert_id }
    await dropRelayAlert(dependencies, app, place, authorOf(caller))
    return { body: null }
  },
})
