import { pageByNumber, pagesQuerySchema, pagesReplySchema } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { KB } from "@sealway/kernel"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { findMerchants, MAX_MERCHANTS } from "../merchants/manage-merchants.ts"
import { merchantSchema, showMerchant } from "../merchants/show-merchant.ts"
import { ENROLLED_LIST_GRANTS } from "./enrolling-grants.ts"

/** A merchant with the longest details, as it is stored and read. All are read, to find those of a name and to count them. */
const MERCHANT_BYTES = 10 * KB

export const listMerchants = endpoint({
  id: "list-merchants",
  method: "GET",
  path: "/payments/merchants",
  tag: "Merchants",
  summary: "List the app's merchants",
  description: "Newest first.",
  auth: [apiKey("merchant:read")],
  reveals: "nothing",
  request: {
    query: pagesQuerySchema.extend({
      q: z
        .string()
        .max(60)
        .default("")
        .describe("Part of the name, in any letter case. Default: all merchants"),
    }),
  },
  status: 200,
  reply: {
    kind: "object",
    schema: pagesReplySchema(merchantSchema, "MerchantList"),
    description: "A page of merchants",
  },
  errors: ["invalid-request"],
  grants: ENROLLED_LIST_GRANTS,
  async answer({ principal: { app }, query, task }, dependencies: PaymentDependencies) {
    await task.reserveAtMost(MAX_MERCHANTS * MERCHANT_BYTES)
    return { body: pageByNumber(await findMerchants(dependencies, app, query.q), query, showMerchant) }
  },
})
