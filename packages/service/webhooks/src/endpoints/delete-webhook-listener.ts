import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { WebhookDependencies } from "../dependencies.ts"
import { removeListener } from "../management/webhook-listeners.ts"
import { listenerPathSchema } from "./listener-schema.ts"

export const deleteListener = endpoint({
  id: "delete-webhook-listener",
  method: "DELETE",
  path: "/webhook-listeners/{webhook_listener_id}",
  tag: "Webhooks",
  summary: "Delete a webhook listener",
  description: "The events that wait for it are dropped.",
  auth: [apiKey("webhookEvent:listen")],
  reveals: "nothing",
  writes: true,
  request: { path: listenerPathSchema },
  status: 204,
  reply: { kind: "none", description: "The listener is deleted" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, caller }, dependencies: WebhookDependencies) {
    await removeListener(dependencies, app, path.webhook_listener_id, authorOf(caller))
    return { body: null }
  },
})
