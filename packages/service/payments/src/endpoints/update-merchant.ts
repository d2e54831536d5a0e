import { MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import { changeMerchant } from "../merchants/manage-merchants.ts"
import { changesOf, merchantChangesSchema } from "../merchants/merchant-rules.ts"
import { merchantSchema, showMerchant } from "../merchants/show-merchant.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { merchantPathSchema } from "./parameters.ts"

export const updateMerchant = endpoint({
  id: "update-merchant",
  method: "PATCH",
  path: "/payments/merchants/{merchant_id}",
  tag: "Merchants",
  summary: "Change a merchant",
  description:
    "Fields that are not sent stay unchanged. Name, website, category and business cannot be changed, because the networks have enrolled them. To retry a failed enrolment, send it again.",
  auth: [apiKey("merchant:update")],
  reveals: "nothing",
  writes: true,
  request: {
    path: merchantPathSchema,
    body: { kind: "object", schema: merchantChangesSchema, maxBytes: MAX_PAYMENT_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: merchantSchema, description: "The merchant" },
  errors: ["not-found", "conflict"],
  grants: ENROLLING_GRANTS,
  async answer({ principal: { app }, path, body, caller }, dependencies: PaymentDependencies) {
    const id = path.merchant_id
    const changed = await changeMerchant(dependencies, app, id, changesOf(body), authorOf(caller))
    return { body: showMerchant(changed) }
  },
})
