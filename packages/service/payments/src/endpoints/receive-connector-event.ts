import { BIN_GRANTS } from "@sealway/bins"
import { endpoint } from "@sealway/http"
import * as z from "zod"
import { receiveConnectorEvent as receive } from "../connector-events/receive-connector-event.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { connectorEventSchema } from "../networks/connector/protocol.ts"
import { ENROLMENT_NEWS_GRANTS } from "./enrolling-grants.ts"
import { SESSION_GRANTS } from "./session-grants.ts"

/** A missing header is a missing signature: 401, like a wrong one. */
const headerSchema = z.string().max(1_024).default("")

export const receiveConnectorEvent = endpoint({
  id: "receive-connector-event",
  method: "POST",
  path: "/payments/connector-events",
  tag: "Connectors",
  summary: "Receive an event from a connector",
  description:
    "Called by connectors. The request is signed with the connector's secret by the Standard Webhooks scheme; `X-Service-App-Id` names the app. A repeated message (same `webhook-id`) changes nothing, and neither does one that is older than the known state.",
  auth: [],
  reveals: "nothing",
  request: {
    headers: z.object({
      "x-service-app-id": headerSchema.describe("Id of the app"),
      "webhook-id": headerSchema.describe("Unique id of the message, in printable ASCII without a dot"),
      "webhook-timestamp": headerSchema.describe("Epoch seconds, at most five minutes from now"),
      "webhook-signature": headerSchema.describe("`v1,` and the signature"),
    }),
    body: {
      kind: "document",
      formats: ["json"],
      description: "The event, up to 64 KB",
      schema: connectorEventSchema,
    },
  },
  status: 204,
  reply: { kind: "none", description: "The event is accepted" },
  errors: ["unauthorized", "conflict"],
  grants: [...new Set([...SESSION_GRANTS, ...BIN_GRANTS, ...ENROLMENT_NEWS_GRANTS])],
  async answer({ headers, body }, dependencies: PaymentDependencies) {
    const message = {
      appId: headers["x-service-app-id"],
      webhookId: headers["webhook-id"],
      webhookTimestamp: headers["webhook-timestamp"],
      webhookSignature: headers["webhook-signature"],
      body: body.bytes,
    }
    await receive(message, dependencies)
    return { body: null }
  },
})
