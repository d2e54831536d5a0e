import { AUDIT_GRANTS, apiKey, authorOf, endpoint } from "@sealway/platform"
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
    "When the relay refuses or fails a request, or its leak watch finds a card number, that is posted to the URL: once a minute for each error code at most. A `webhook` is sent `relayUuid`, `teamUuid`, `errorMessage`, `evMessage`, `activityLink`, `timestamp`, `errorType` (a relay error code, or `leak-detected`), `statusCode`, `statusGroup` (`4XX`, `5XX`, or `ERR` for an answer that is neither) and `inboundDomain`, signed by the Standard Webhooks scheme with the app's callback secret. Up to 10 alerts a relay.",
  auth: [apiKey("relayAlert:create")],
  writes: true,
  request: {
    path: relayPathSchema,
    headers: z.object({}),
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
