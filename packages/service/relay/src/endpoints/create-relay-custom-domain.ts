import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { RelayDependencies } from "../dependencies.ts"
import { addCustomDomain } from "../domains/manage-custom-domains.ts"
import { customDomainSchema, showCustomDomain } from "./custom-domain-schema.ts"
import { relayPathSchema } from "./relay-schema.ts"

const MAX_BYTES = 4 * 1024

const domainSchema = z.string().max(300).describe("Your domain: one name, without scheme or port")

const requestSchema = z
  .strictObject({
    domain: domainSchema.optional(),
    customDomain: domainSchema.optional().describe("Same as `domain`"),
  })
  .refine(({ domain, customDomain }) => (domain === undefined) !== (customDomain === undefined), {
    path: ["domain"],
    message: "Give either `domain` or `customDomain`",
  })
  .meta({ oneOf: [{ required: ["domain"] }, { required: ["customDomain"] }] })

export const createCustomDomain = endpoint({
  id: "create-relay-custom-domain",
  method: "POST",
  path: "/relays/{relay_id}/custom-domains",
  tag: "Relays",
  summary: "Add a custom domain to a relay",
  description:
    "Add the `records` in the response to your DNS, then verify the domain. The relay serves it only after that.",
  auth: [apiKey("relayCustomDomain:create")],
  reveals: "nothing",
  writes: true,
  request: { path: relayPathSchema, body: { kind: "object", schema: requestSchema, maxBytes: MAX_BYTES } },
  status: 201,
  reply: { kind: "object", schema: customDomainSchema, description: "The custom domain" },
  errors: ["not-found", "conflict"],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:Query/config",
    "dynamodb:PutItem/config",
    "dynamodb:DeleteItem/config",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, path, body, caller, task }, dependencies: RelayDependencies) {
    const domain = body.domain ?? body.customDomain ?? ""
    const made = await addCustomDomain(dependencies, app, path.relay_id, domain, authorOf(caller), task)
    return { body: showCustomDomain(made, dependencies.customDomainTarget) }
  },
})
