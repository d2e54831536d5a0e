import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import { type AlertDependencies, sendTestAlert } from "../alerts/manage-relay-alerts.ts"
import { alertPathSchema } from "./alert-schema.ts"

const replySchema = z
  .object({ event: z.string().describe("Id of the webhook event that carries it") })
  .meta({ id: "RelayAlertTest" })

export const testAlert = endpoint({
  id: "test-relay-alert",
  method: "POST",
  path: "/relays/{relay_id}/alerts/{alert_id}/test",
  tag: "Relays",
  summary: "Send a test alert",
  description:
    "Sends an alert with the `errorType` `test` to this alert only. `GET /webhook-events/{webhook_event_id}` shows the result.",
  auth: [apiKey("relayAlert:test")],
  reveals: "nothing",
  writes: true,
  request: { path: alertPathSchema },
  status: 202,
  reply: { kind: "object", schema: replySchema, description: "The test alert is queued" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, caller, browserUrl }, dependencies: AlertDependencies) {
    const place = { relayId: path.relay_id, id: path.alert_id }
    return { body: { event: await sendTestAlert(dependencies, app, place, authorOf(caller), browserUrl) } }
  },
})
