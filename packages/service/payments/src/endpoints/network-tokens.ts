import {
  apiKey,
  deletingEndpoint,
  filteredReplySchema,
  listQuerySchema,
  readingEndpoint,
} from "@sealway/http"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import {
  listNetworkTokens as list,
  deleteNetworkToken as remove,
  requireNetworkToken,
} from "../network-tokens/manage-network-tokens.ts"
import {
  listedNetworkTokenSchema,
  networkTokenSchema,
  showListedNetworkToken,
  showNetworkToken,
} from "../network-tokens/show-network-token.ts"
import { TOKEN_STATUSES } from "../networks/messages/network-token.ts"
import { ENROLLED_LIST_GRANTS, ENROLLED_READ_GRANTS, ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { FILTERED_LIST, lastFourFilterSchema, merchantFilterSchema } from "./list-filters.ts"
import { networkTokenPathSchema } from "./parameters.ts"

export const listNetworkTokens = readingEndpoint({
  id: "list-network-tokens",
  path: "/payments/network-tokens",
  tag: "Network Tokens",
  summary: "List the app's network tokens",
  description: `${FILTERED_LIST} They are listed without their numbers: get a network token for its number as an \`ev:\` token.`,
  auth: [apiKey("networkToken:read")],
  request: {
    query: listQuerySchema("network_token").extend({
      merchant: merchantFilterSchema,
      status: z.enum(TOKEN_STATUSES).optional(),
      lastFour: lastFourFilterSchema,
    }),
  },
  schema: filteredReplySchema(listedNetworkTokenSchema, "NetworkTokenList"),
  reply: "A page of network tokens",
  grants: ENROLLED_LIST_GRANTS,
  async read({ principal: { app }, query }, dependencies: PaymentDependencies) {
    const page = await list(dependencies, app, query)
    return { ...page, data: page.data.map(showListedNetworkToken) }
  },
})

export const getNetworkToken = readingEndpoint({
  id: "get-network-token",
  path: "/payments/network-tokens/{network_token_id}",
  tag: "Network Tokens",
  summary: "Get a network token",
  description:
    "A token that its network has deleted keeps the status `deleted` until you delete it here too.",
  auth: [apiKey("networkToken:read")],
  request: { path: networkTokenPathSchema },
  schema: networkTokenSchema,
  reply: "The network token",
  grants: ENROLLED_READ_GRANTS,
  async read({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return showNetworkToken(await requireNetworkToken(dependencies, app, path.network_token_id))
  },
})

export const deleteNetworkToken = deletingEndpoint({
  id: "delete-network-token",
  path: "/payments/network-tokens/{network_token_id}",
  tag: "Network Tokens",
  summary: "Delete a network token",
  description: "Deletes it at its network too: the request to the network is retried until it is answered.",
  auth: [apiKey("networkToken:delete")],
  request: { path: networkTokenPathSchema },
  reply: "The network token is deleted",
  grants: ENROLLING_GRANTS,
  async remove({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    await remove(dependencies, app, path.network_token_id, authorOf(caller))
  },
})
