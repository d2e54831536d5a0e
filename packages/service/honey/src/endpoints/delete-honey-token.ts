import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { HoneyDependencies } from "../dependencies.ts"
import { removeHoneyToken } from "../management/manage-honey-tokens.ts"
import { honeyTokenPathSchema } from "./honey-token-schema.ts"

export const deleteHoneyToken = endpoint({
  id: "delete-honey-token",
  method: "DELETE",
  path: "/honey-tokens/{honey_token_id}",
  tag: "Honey Tokens",
  summary: "Delete a honey token",
  description:
    "It still cannot be decrypted, wherever it was put. The audit log records attempts, but they raise no event any more, and its touches are no longer listed.",
  auth: [apiKey("honeyToken:delete")],
  reveals: "nothing",
  writes: true,
  request: { path: honeyTokenPathSchema },
  status: 204,
  reply: { kind: "none", description: "The honey token is deleted" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, caller }, dependencies: HoneyDependencies) {
    await removeHoneyToken(dependencies, app, path.honey_token_id, authorOf(caller))
    return { body: null }
  },
})
