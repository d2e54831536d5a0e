import { pageByNumber, pagesQuerySchema, pagesReplySchema } from "@sealway/bins"
import { apiKey, deletingEndpoint, readingEndpoint } from "@sealway/http"
import { KB } from "@sealway/kernel"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import {
  findMerchants,
  MAX_MERCHANTS,
  deleteMerchant as remove,
  requireMerchant,
} from "../merchants/manage-merchants.ts"
import { merchantSchema, showMerchant } from "../merchants/show-merchant.ts"
import { ENROLLED_LIST_GRANTS, ENROLLED_READ_GRANTS, ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { merchantPathSchema } from "./parameters.ts"

/** A merchant with the longest details, as it is stored and read. All are read, to find those of a name and to count them. */
const MERCHANT_BYTES = 10 * KB

export const listMerchants = readingEndpoint({
  id: "list-merchants",
  path: "/payments/merchants",
  tag: "Merchants",
  summary: "List the app's merchants",
  description: "Newest first.",
  auth: [apiKey("merchant:read")],
  request: {
    query: pagesQuerySchema.extend({
      q: z
        .string()
        .max(60)
        .default("")
        .describe("Part of the name, in any letter case. Default: all merchants"),
    }),
  },
  schema: pagesReplySchema(merchantSchema, "MerchantList"),
  reply: "A page of merchants",
  grants: ENROLLED_LIST_GRANTS,
  async read({ principal: { app }, query, task }, dependencies: PaymentDependencies) {
    await task.reserveAtMost(MAX_MERCHANTS * MERCHANT_BYTES)
    return pageByNumber(await findMerchants(dependencies, app, query.q), query, showMerchant)
  },
})

export const getMerchant = readingEndpoint({
  id: "get-merchant",
  path: "/payments/merchants/{merchant_id}",
  tag: "Merchants",
  summary: "Get a merchant",
  description: "Includes its state with each network.",
  auth: [apiKey("merchant:read")],
  request: { path: merchantPathSchema },
  schema: merchantSchema,
  reply: "The merchant",
  grants: ENROLLED_READ_GRANTS,
  async read({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return showMerchant(await requireMerchant(dependencies, app, path.merchant_id))
  },
})

export const deleteMerchant = deletingEndpoint({
  id: "delete-merchant",
  path: "/payments/merchants/{merchant_id}",
  tag: "Merchants",
  summary: "Delete a merchant",
  description:
    "Withdraws its enrolments from the networks. A merchant with network tokens, subscriptions or watches cannot be deleted: the request returns 409 `conflict`.",
  auth: [apiKey("merchant:delete")],
  request: { path: merchantPathSchema },
  reply: "The merchant is deleted",
  grants: ["dynamodb:Query/payments", ...ENROLLING_GRANTS],
  async remove({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    await remove(dependencies, app, path.merchant_id, authorOf(caller))
  },
})
