import { apiKey, listQuerySchema, listReplySchema, pageOf, readingEndpoint, replyOf } from "@sealway/http"
import type { RelayDependencies } from "../dependencies.ts"
import { listDomainsOf, showCustomDomainNow } from "../domains/manage-custom-domains.ts"
import { EDGE_STATUS_GRANTS } from "../edge/relay-edge.ts"
import { customDomainPathSchema, customDomainSchema, showCustomDomain } from "./custom-domain-schema.ts"
import { relayPathSchema } from "./relay-schema.ts"

export const listCustomDomains = readingEndpoint({
  id: "list-relay-custom-domains",
  path: "/relays/{relay_id}/custom-domains",
  tag: "Relays",
  summary: "List the custom domains of a relay",
  description: "Newest first.",
  auth: [apiKey("relayCustomDomain:list")],
  request: { path: relayPathSchema, query: listQuerySchema("custom_domain") },
  schema: listReplySchema(customDomainSchema, "RelayCustomDomainList"),
  reply: "A page of custom domains",
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/config"],
  async read({ principal: { app }, path, query }, dependencies: RelayDependencies) {
    const page = pageOf(await listDomainsOf(dependencies, app, path.relay_id), query)
    return replyOf(page, (each) => showCustomDomain(each, dependencies.customDomainTarget))
  },
})

export const getCustomDomain = readingEndpoint({
  id: "get-relay-custom-domain",
  path: "/relays/{relay_id}/custom-domains/{custom_domain_id}",
  tag: "Relays",
  summary: "Get a custom domain",
  description:
    "Returns the state of the last check. Reading a `verified` domain makes it `active` once it is served.",
  auth: [apiKey("relayCustomDomain:read")],
  request: { path: customDomainPathSchema },
  schema: customDomainSchema,
  reply: "The custom domain",
  grants: ["dynamodb:GetItem/config", "dynamodb:PutItem/config", ...EDGE_STATUS_GRANTS],
  async read({ principal: { app }, path }, dependencies: RelayDependencies) {
    const { relay_id: relayId, custom_domain_id: id } = path
    const found = await showCustomDomainNow(dependencies, app, relayId, id)
    return showCustomDomain(found, dependencies.customDomainTarget)
  },
})
