import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import { type AlertDependencies, changeRelayAlert } from "../alerts/manage-relay-alerts.ts"
import {
  alertPathSchema,
  alertSchema,
  alertTypeSchema,
  alertUrlSchema,
  MAX_ALERT_BYTES,
  showAlert,
} from "./alert-schema.ts"

const requestSchema = z
  .strictObject({ type: alertTypeSchema.exactOptional(), url: alertUrlSchema.exactOptional() })
  .refine((changes) => Object.keys(changes).length > 0, "At least one field is required")

export const updateAlert = endpoint({
  id: "update-relay-alert",
  method: "PATCH",
  path: "/relays/{relay_id}/alerts/{alert_id}",
  tag: "Relays",
  summary: "Change an alert of a relay",
  description:
    "Fields that are not sent stay unchanged. Pending deliveries use the new URL from their next attempt on.",
  auth: [apiKey("relayAlert:update")],
  reveals: "nothing",
  writes: true,
  request: {
    path: alertPathSchema,
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_ALERT_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: alertSchema, description: "The alert" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:PutItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, body, caller }, dependencies: AlertDependencies) {
    const place = { relayId: path.relay_id, id: path.alert_id }
    return { body: showAlert(await changeRelayAlert(dependencies, app, place, body, authorOf(caller))) }
  },
})
