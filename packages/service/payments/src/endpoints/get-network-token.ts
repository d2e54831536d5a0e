import { apiKey, endpoint } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { requireNetworkToken } from "../network-tokens/manage-network-tokens.ts"
import { networkTokenSchema, showNetworkToken } from "../network-tokens/show-network-token.ts"
import { ENROLLED_READ_GRANTS } from "./enrolling-grants.ts"
import { networkTokenPathSchema } from "./network-token-parameters.ts"

export const getNetworkToken = endpoint({
  id: "get-network-token",
  method: "GET",
  path: "/payments/network-tokens/{network_token_id}",
  tag: "Network Tokens",
  summary: "Get a network token",
  description:
    "A token that its network has deleted keeps the status `deleted` until you delete it here too.",
  auth: [apiKey("networkToken:read")],
  reveals: "nothing",
  request: { path: networkTokenPathSchema },
  status: 200,
  reply: { kind: "object", schema: networkTokenSchema, description: "The network token" },
  errors: ["not-found"],
  grants: ENROLLED_READ_GRANTS,
  async answer({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return { body: showNetworkToken(await requireNetworkToken(dependencies, app, path.network_token_id)) }
  },
})
