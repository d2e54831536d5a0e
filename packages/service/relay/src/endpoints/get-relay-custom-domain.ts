import { apiKey, endpoint } from "@sealway/http"
import type { RelayDependencies } from "../dependencies.ts"
import { showCustomDomainNow } from "../domains/manage-custom-domains.ts"
import { EDGE_STATUS_GRANTS } from "../edge/relay-edge.ts"
import { customDomainPathSchema, customDomainSchema, showCustomDomain } from "./custom-domain-schema.ts"

export const getCustomDomain = endpoint({
  id: "get-relay-custom-domain",
  method: "GET",
  path: "/relays/{relay_id}/custom-domains/{custom_domain_id}",
  tag: "Relays",
  summary: "Get a custom domain",
  description:
    "Returns the state of the last check. Reading a `verified` domain makes it `active` once it is served.",
  auth: [apiKey("relayCustomDomain:read")],
  reveals: "nothing",
  request: { path: customDomainPathSchema },
  status: 200,
  reply: { kind: "object", schema: customDomainSchema, description: "The custom domain" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:PutItem/config", ...EDGE_STATUS_GRANTS],
  async answer({ principal: { app }, path }, dependencies: RelayDependencies) {
    const { relay_id: relayId, custom_domain_id: id } = path
    const found = await showCustomDomainNow(dependencies, app, relayId, id)
    return { body: showCustomDomain(found, dependencies.customDomainTarget) }
  },
})
