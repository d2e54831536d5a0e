import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import { type AlertDependencies, addRelayAlert } from "../alerts/manage-relay-alerts.ts"
import { alertSchema, alertTypeSchema, alertUrlSchema, MAX_ALERT_BYTES, showAlert } from "./alert-schema.ts"
import { relayPathSchema } from "./relay-schema.ts"

const requestSchema = z.strictObject({ type: alertTypeSchema, url: alertUrlSchema })

export const createAlert = endpoint({
  id: "create-relay-alert",
  method: "POST",
  path: "/relays/{relay_id}/alerts",
  tag: "Relays",
  summary: "Create an alert of a relay",
  description:
    "Posts to the URL when the relay refuses or fails a request, or when its leak watch finds a card number: at most once a minute for each error code. A `webhook` receives `relayUuid`, `teamUuid`, `errorMessage`, `evMessage`, `activityLink`, `timestamp`, `errorType` (a relay error code, or `leak-detected`), `statusCode`, `statusGroup` (`4XX`, `5XX`, or `ERR` for any other response) and `inboundDomain`, signed by the Standard Webhooks scheme with the app's callback secret. A relay has 10 alerts at most.",
  auth: [apiKey("relayAlert:create")],
  reveals: "nothing",
  writes: true,
  request: {
    path: relayPathSchema,
    body: { kind: "object", schema: requestSchema, maxBytes: MAX_ALERT_BYTES },
  },
  status: 201,
  reply: { kind: "object", schema: alertSchema, description: "The alert" },
  errors: ["not-found", "conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:Query/config",
    "dynamodb:PutItem/config",
    "dynamodb:DeleteItem/config",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, path, body, caller }, dependencies: AlertDependencies) {
    return { body: showAlert(await addRelayAlert(dependencies, app, path.relay_id, body, authorOf(caller))) }
  },
})
