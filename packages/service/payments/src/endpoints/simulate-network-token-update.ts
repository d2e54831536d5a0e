import { MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { reportRefusal } from "@sealway/vault"
import type { PaymentDependencies } from "../dependencies.ts"
import { networkTokenSchema, showNetworkToken } from "../network-tokens/show-network-token.ts"
import { networkTokenUpdateSchema, simulateNetworkToken } from "../network-tokens/simulate-network-token.ts"
import { CARD_DATA_GRANTS } from "./card-data.ts"
import { ENROLLING_GRANTS, ENROLMENT_NEWS_GRANTS } from "./enrolling-grants.ts"
import { networkTokenPathSchema } from "./parameters.ts"

export const simulateNetworkTokenUpdate = endpoint({
  id: "simulate-network-token-update",
  method: "POST",
  path: "/payments/network-tokens/{network_token_id}/simulate",
  tag: "Network Tokens",
  summary: "Simulate an update of a network token",
  description:
    "Changes a network token of a sandbox app as its network would. Fields that are not sent get generated values.",
  auth: [apiKey("networkToken:create")],
  reveals: "card-facts",
  writes: true,
  request: {
    path: networkTokenPathSchema,
    body: { kind: "object", schema: networkTokenUpdateSchema, maxBytes: MAX_PAYMENT_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: networkTokenSchema, description: "The network token" },
  errors: ["not-found", "conflict", "decrypt/forbidden"],
  grants: [...CARD_DATA_GRANTS, ...ENROLLING_GRANTS, ...ENROLMENT_NEWS_GRANTS],
  async answer({ principal, caller, path, body }, dependencies: PaymentDependencies) {
    const id = path.network_token_id
    return {
      body: showNetworkToken(await simulateNetworkToken(dependencies, { principal, caller }, id, body)),
    }
  },
  onForbidden: reportRefusal,
})
