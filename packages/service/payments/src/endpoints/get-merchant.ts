import { apiKey, endpoint } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { requireMerchant } from "../merchants/manage-merchants.ts"
import { merchantSchema, showMerchant } from "../merchants/show-merchant.ts"
import { ENROLLED_READ_GRANTS } from "./enrolling-grants.ts"
import { merchantPathSchema } from "./merchant-parameters.ts"

export const getMerchant = endpoint({
  id: "get-merchant",
  method: "GET",
  path: "/payments/merchants/{merchant_id}",
  tag: "Merchants",
  summary: "Get a merchant",
  description: "Includes its state with each network.",
  auth: [apiKey("merchant:read")],
  reveals: "nothing",
  request: { path: merchantPathSchema },
  status: 200,
  reply: { kind: "object", schema: merchantSchema, description: "The merchant" },
  errors: ["not-found"],
  grants: ENROLLED_READ_GRANTS,
  async answer({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return { body: showMerchant(await requireMerchant(dependencies, app, path.merchant_id)) }
  },
})
