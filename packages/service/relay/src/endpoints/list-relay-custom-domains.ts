import { apiKey, endpoint, listQuerySchema, listReplySchema, pageOf, replyOf } from "@sealway/http"
import type { RelayDependencies } from "../dependencies.ts"
import { listDomainsOf } from "../domains/manage-custom-domains.ts"
import { customDomainSchema, showCustomDomain } from "./custom-domain-schema.ts"
import { relayPathSchema } from "./relay-schema.ts"

export const listCustomDomains = endpoint({
  id: "list-relay-custom-domains",
  method: "GET",
  path: "/relays/{relay_id}/custom-domains",
  tag: "Relays",
  summary: "List the custom domains of a relay",
  description: "Newest first.",
  auth: [apiKey("relayCustomDomain:list")],
  reveals: "nothing",
  request: { path: relayPathSchema, query: listQuerySchema("custom_domain") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(customDomainSchema, "RelayCustomDomainList"),
    description: "A page of custom domains",
  },
  errors: ["invalid-request", "not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/config"],
  async answer({ principal: { app }, path, query }, dependencies: RelayDependencies) {
    const page = pageOf(await listDomainsOf(dependencies, app, path.relay_id), query)
    return { body: replyOf(page, (each) => showCustomDomain(each, dependencies.customDomainTarget)) }
  },
})
