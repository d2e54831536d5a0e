import { apiKey, endpoint, filteredReplySchema, listQuerySchema } from "@sealway/http"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { listNetworkTokens as list } from "../network-tokens/manage-network-tokens.ts"
import { listedNetworkTokenSchema, showListedNetworkToken } from "../network-tokens/show-network-token.ts"
import { TOKEN_STATUSES } from "../networks/messages/network-token.ts"
import { ENROLLED_LIST_GRANTS } from "./enrolling-grants.ts"
import { FILTERED_LIST, lastFourFilterSchema, merchantFilterSchema } from "./list-filters.ts"

export const listNetworkTokens = endpoint({
  id: "list-network-tokens",
  method: "GET",
  path: "/payments/network-tokens",
  tag: "Network Tokens",
  summary: "List the app's network tokens",
  description: `${FILTERED_LIST} They are listed without their numbers: get a network token for its number as an \`ev:\` token.`,
  auth: [apiKey("networkToken:read")],
  reveals: "nothing",
  request: {
    query: listQuerySchema("network_token").extend({
      merchant: merchantFilterSchema,
      status: z.enum(TOKEN_STATUSES).optional(),
      lastFour: lastFourFilterSchema,
    }),
  },
  status: 200,
  reply: {
    kind: "object",
    schema: filteredReplySchema(listedNetworkTokenSchema, "NetworkTokenList"),
    description: "A page of network tokens",
  },
  errors: ["invalid-request"],
  grants: ENROLLED_LIST_GRANTS,
  async answer({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const page = await list(dependencies, app, query)
    return { body: { ...page, data: page.data.map(showListedNetworkToken) } }
  },
})
