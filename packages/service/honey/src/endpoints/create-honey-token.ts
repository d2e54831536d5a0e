import { apiKey, endpoint } from "@sealway/http"
import { SEALING_GRANTS } from "@sealway/keys"
import { USE_GRANTS } from "@sealway/policies"
import { AUDIT_GRANTS, OPENING_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import { reportForbiddenValue } from "@sealway/vault"
import type { HoneyDependencies } from "../dependencies.ts"
import { addHoneyToken } from "../management/manage-honey-tokens.ts"
import {
  honeyTokenInputSchema,
  honeyTokenSchema,
  MAX_HONEY_TOKEN_BYTES,
  readInput,
  showHoneyToken,
} from "./honey-token-schema.ts"

export const createHoneyToken = endpoint({
  id: "create-honey-token",
  method: "POST",
  path: "/honey-tokens",
  tag: "Honey Tokens",
  summary: "Create a honey token",
  description:
    "Returns a token that is never decrypted, and that nobody can tell from the app's other tokens. Whoever tries to decrypt, rewrap or fingerprint it is refused with `decrypt/forbidden`, as for a value that policies forbid; the event `honey-token.touched` says who, where and when. An app has at most 500.",
  auth: [apiKey("honeyToken:create")],
  reveals: "resealed",
  writes: true,
  request: { body: { kind: "object", schema: honeyTokenInputSchema, maxBytes: MAX_HONEY_TOKEN_BYTES } },
  status: 201,
  reply: { kind: "object", schema: honeyTokenSchema, description: "The honey token" },
  errors: ["conflict", "decrypt/forbidden"],
  grants: [
    ...SEALING_GRANTS,
    ...OPENING_GRANTS,
    ...USE_GRANTS,
    ...AUDIT_GRANTS,
    "dynamodb:Query/events",
    "dynamodb:DeleteItem/config",
  ],
  async answer({ principal: { app }, body, caller }, dependencies: HoneyDependencies) {
    const honeyToken = await addHoneyToken(dependencies, app, readInput(body), authorOf(caller))
    return { body: await showHoneyToken(dependencies.eventsTable, app.id, honeyToken) }
  },
  onForbidden: reportForbiddenValue,
})
