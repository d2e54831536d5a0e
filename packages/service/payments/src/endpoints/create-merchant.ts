import { MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import { addMerchant } from "../merchants/manage-merchants.ts"
import { detailsOf, merchantInputSchema } from "../merchants/merchant-rules.ts"
import { merchantSchema, showMerchant } from "../merchants/show-merchant.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"

export const createMerchant = endpoint({
  id: "create-merchant",
  method: "POST",
  path: "/payments/merchants",
  tag: "Merchants",
  summary: "Create a merchant",
  description:
    "Enrols the merchant with the card networks, for network tokens and for every other service that is requested. Each network decides on its own, usually within minutes and in rare cases within 48 hours. Each decision publishes the event `payments.merchant.updated`.",
  auth: [apiKey("merchant:create")],
  reveals: "nothing",
  writes: true,
  request: { body: { kind: "object", schema: merchantInputSchema, maxBytes: MAX_PAYMENT_BYTES } },
  status: 201,
  reply: { kind: "object", schema: merchantSchema, description: "The merchant" },
  errors: ["conflict"],
  grants: ["dynamodb:Query/payments", "dynamodb:DeleteItem/payments", ...ENROLLING_GRANTS],
  async answer({ principal: { app }, body, caller }, dependencies: PaymentDependencies) {
    return { body: showMerchant(await addMerchant(dependencies, app, detailsOf(body), authorOf(caller))) }
  },
})
