import { BIN_GRANTS, MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { reportRefusal } from "@sealway/vault"
import type { PaymentDependencies } from "../dependencies.ts"
import { sessionInputSchema } from "../three-d-secure-sessions/record/session-request.ts"
import { sessionSchema } from "../three-d-secure-sessions/record/session-schema.ts"
import { startSession } from "../three-d-secure-sessions/start/start-session.ts"
import { answerSession } from "../three-d-secure-sessions/steps/read-session.ts"
import { CARD_DATA_GRANTS } from "./card-data.ts"
import { SESSION_GRANTS } from "./session-grants.ts"

export const create3dsSession = endpoint({
  id: "create-3ds-session",
  method: "POST",
  path: "/payments/3ds-sessions",
  tag: "3D Secure",
  summary: "Create a 3-D Secure session",
  description:
    "Asks the card's issuer to authenticate the cardholder. A customer-initiated session waits up to ten minutes for the cardholder's browser, which uses an SDK or the page at `nextAction.url`. A merchant-initiated session is decided in the response. Each decision publishes the event `payments.3ds-session.success` or `payments.3ds-session.failure`. The response to a request that is retried with its `Idempotency-Key` has no cryptogram; use `GET` to read it.",
  auth: [apiKey("threeDSSession:create")],
  reveals: "card-facts",
  writes: true,
  unkept: ["cryptogram"],
  request: { body: { kind: "object", schema: sessionInputSchema, maxBytes: MAX_PAYMENT_BYTES } },
  status: 201,
  reply: { kind: "object", schema: sessionSchema, description: "The session" },
  errors: ["payments/3ds-sessions/short-name-required", "decrypt/forbidden"],
  grants: [
    ...CARD_DATA_GRANTS,
    ...BIN_GRANTS,
    ...SESSION_GRANTS,
    "dynamodb:UpdateItem/payments",
    "sqs:SendMessage/enrolments",
  ],
  async answer({ principal, caller, body, serviceOrigin }, dependencies: PaymentDependencies) {
    const session = await startSession(dependencies, { principal, caller }, body, serviceOrigin)
    return { body: await answerSession(dependencies, principal.app, session) }
  },
  onForbidden: reportRefusal,
})
