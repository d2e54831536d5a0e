import { apiKey, deletingEndpoint } from "@sealway/http"
import { AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { WebhookDependencies } from "../dependencies.ts"
import { removeListener } from "../management/webhook-listeners.ts"
import { listenerPathSchema } from "./listener-schema.ts"

export const deleteListener = deletingEndpoint({
  id: "delete-webhook-listener",
  path: "/webhook-listeners/{webhook_listener_id}",
  tag: "Webhooks",
  summary: "Delete a webhook listener",
  description: "The events that wait for it are dropped.",
  auth: [apiKey("webhookEvent:listen")],
  request: { path: listenerPathSchema },
  reply: "The listener is deleted",
  grants: ["dynamodb:GetItem/config", "dynamodb:DeleteItem/config", ...AUDIT_GRANTS],
  async remove({ principal: { app }, path, caller }, dependencies: WebhookDependencies) {
    await removeListener(dependencies, app, path.webhook_listener_id, authorOf(caller))
  },
})
