import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { RelayDependencies } from "../dependencies.ts"
import { verifyCustomDomain as verify } from "../domains/verify-custom-domain.ts"
import { EDGE_ATTACH_GRANTS, EDGE_DETACH_GRANTS } from "../edge/relay-edge.ts"
import { customDomainPathSchema, customDomainSchema, showCustomDomain } from "./custom-domain-schema.ts"

export const verifyCustomDomain = endpoint({
  id: "verify-relay-custom-domain",
  method: "POST",
  path: "/relays/{relay_id}/custom-domains/{custom_domain_id}/verify",
  tag: "Relays",
  summary: "Verify a custom domain",
  description:
    "Looks up the domain's records in DNS. If they are correct, the domain leads to the relay and no other app can claim it. If they are wrong, the domain no longer leads to the relay. If DNS does not respond, nothing changes, and `problem` says why.",
  auth: [apiKey("relayCustomDomain:verify")],
  reveals: "nothing",
  writes: true,
  request: { path: customDomainPathSchema },
  status: 200,
  reply: { kind: "object", schema: customDomainSchema, description: "The custom domain" },
  errors: ["not-found", "conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:PutItem/config",
    "dynamodb:DeleteItem/config",
    ...EDGE_ATTACH_GRANTS,
    ...EDGE_DETACH_GRANTS,
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, path, caller, task }, dependencies: RelayDependencies) {
    const { relay_id: relayId, custom_domain_id: id } = path
    const checked = await verify(dependencies, app, relayId, id, authorOf(caller), task)
    return { body: showCustomDomain(checked, dependencies.customDomainTarget) }
  },
})
