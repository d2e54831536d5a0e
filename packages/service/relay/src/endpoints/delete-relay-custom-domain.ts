import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { RelayDependencies } from "../dependencies.ts"
import { removeCustomDomain } from "../domains/manage-custom-domains.ts"
import { EDGE_DETACH_GRANTS } from "../edge/relay-edge.ts"
import { customDomainPathSchema } from "./custom-domain-schema.ts"

export const deleteCustomDomain = endpoint({
  id: "delete-relay-custom-domain",
  method: "DELETE",
  path: "/relays/{relay_id}/custom-domains/{custom_domain_id}",
  tag: "Relays",
  summary: "Delete a custom domain",
  description: "The domain no longer leads to the relay, and another app may use it.",
  auth: [apiKey("relayCustomDomain:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: customDomainPathSchema },
  status: 202,
  reply: { kind: "none", description: "The custom domain is deleted" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config", ...EDGE_DETACH_GRANTS, ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, caller }, dependencies: RelayDependencies) {
    const { relay_id: relayId, custom_domain_id: id } = path
    await removeCustomDomain(dependencies, app, relayId, id, authorOf(caller))
    return { body: null }
  },
})
