import { apiKey, endpoint } from "@sealway/http"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import { deleteMerchant as remove } from "../merchants/manage-merchants.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { merchantPathSchema } from "./merchant-parameters.ts"

export const deleteMerchant = endpoint({
  id: "delete-merchant",
  method: "DELETE",
  path: "/payments/merchants/{merchant_id}",
  tag: "Merchants",
  summary: "Delete a merchant",
  description:
    "Withdraws its enrolments from the networks. A merchant with network tokens, subscriptions or watches cannot be deleted: the request returns 409 `conflict`.",
  auth: [apiKey("merchant:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: merchantPathSchema },
  status: 204,
  reply: { kind: "none", description: "The merchant is deleted" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:Query/payments", ...ENROLLING_GRANTS],
  async answer({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    await remove(dependencies, app, path.merchant_id, authorOf(caller))
    return { body: null }
  },
})
