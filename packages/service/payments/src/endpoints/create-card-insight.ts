import { BIN_GRANTS, MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { reportRefusal } from "@sealway/vault"
import type { PaymentDependencies } from "../dependencies.ts"
import { createInsight } from "../insights/create-insight.ts"
import { insightRequestSchema } from "../insights/insight-request.ts"
import { insightSchema } from "../insights/insight-schema.ts"
import { CARD_DATA_GRANTS } from "./card-data.ts"

export const createCardInsight = endpoint({
  id: "create-card-insight",
  method: "POST",
  path: "/insights/cards",
  tag: "Insights",
  summary: "Check a card with its network",
  description:
    "Returns the BIN data of the number and, for each requested extension, the card network's or issuer's result: whether the card accepts push and pull payments; whether the security code, address, names, email address and phone number match; and the payment account reference. No payment is made, and nothing is stored. If a network cannot check a value, the result says so; it is not an error. Production apps need `cardInsights`.",
  auth: [apiKey("insights:create")],
  reveals: "card-facts",
  request: { body: { kind: "object", schema: insightRequestSchema, maxBytes: MAX_PAYMENT_BYTES } },
  status: 201,
  reply: { kind: "object", schema: insightSchema, description: "The results of the checks" },
  errors: ["decrypt/forbidden"],
  grants: [...CARD_DATA_GRANTS, ...BIN_GRANTS],
  async answer({ principal, caller, body }, dependencies: PaymentDependencies) {
    return { body: await createInsight(dependencies, { principal, caller }, body) }
  },
  onForbidden: reportRefusal,
})
