import { apiKey, endpoint } from "@sealway/http"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import { deleteNetworkToken as remove } from "../network-tokens/manage-network-tokens.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"
import { networkTokenPathSchema } from "./network-token-parameters.ts"

export const deleteNetworkToken = endpoint({
  id: "delete-network-token",
  method: "DELETE",
  path: "/payments/network-tokens/{network_token_id}",
  tag: "Network Tokens",
  summary: "Delete a network token",
  description: "Deletes it at its network too: the request to the network is retried until it is answered.",
  auth: [apiKey("networkToken:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: networkTokenPathSchema },
  status: 204,
  reply: { kind: "none", description: "The network token is deleted" },
  errors: ["not-found", "conflict"],
  grants: ENROLLING_GRANTS,
  async answer({ principal: { app }, path, caller }, dependencies: PaymentDependencies) {
    await remove(dependencies, app, path.network_token_id, authorOf(caller))
    return { body: null }
  },
})
