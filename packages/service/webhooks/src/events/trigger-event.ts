import type { App } from "@sealway/accounts"
import { ConflictError } from "@sealway/kernel"
import { type AuditAuthor, appEntry, audited, takesEvent } from "@sealway/records"
import type { NamedEvent } from "@sealway/records/event-types"
import type { WebhookDependencies } from "../dependencies.ts"
import { endpointRecords } from "../records/webhook-endpoint-table.ts"
import type { WebhookEvent } from "../records/webhook-event-table.ts"
import { listenerRecords } from "../records/webhook-listener-table.ts"
import { sampleData } from "./sample-event.ts"

/**
 * Publishes a sample event, as if the service had published one of its type.
 *
 * @throws ConflictError when the app is for production, where receivers act on events, or when no endpoint or listener
 * subscribes to the type
 */
export async function triggerEvent(
  dependencies: WebhookDependencies,
  app: App,
  type: NamedEvent,
  author: AuditAuthor,
): Promise<Pick<WebhookEvent, "id" | "type" | "status" | "createdAt">> {
  const { audit, draws, events, wallClock } = dependencies
  if (app.environment !== "sandbox") {
    throw new ConflictError(
      "Sample events are for sandbox apps only. In a production app, send `webhook.test` to an endpoint.",
    )
  }
  const createdAt = wallClock()
  if (!(await isTaken(dependencies, app, type, createdAt))) {
    throw new ConflictError("No webhook endpoint or listener of the app subscribes to events of this type.")
  }
  const id = draws.newId("webhook_event", createdAt)
  const data = sampleData(type, app, draws, createdAt)
  const entry = appEntry(app, { type: "webhook-event", id }, "trigger", author, { type })
  return audited(audit, entry, async () => {
    // This process may not know an endpoint or listener that was just created.
    events.forget(app.id)
    await events.publish({ id, teamId: app.teamId, appId: app.id, type, data })
    return { id, type, status: "pending", createdAt }
  })
}

async function isTaken(
  { configTable }: Pick<WebhookDependencies, "configTable">,
  { id: appId }: App,
  type: NamedEvent,
  nowMs: number,
): Promise<boolean> {
  const [endpoints, listeners] = await Promise.all([
    endpointRecords.list(configTable, appId),
    listenerRecords.list(configTable, appId),
  ])
  const takers = [
    ...endpoints.filter(({ status }) => status === "enabled"),
    ...listeners.filter(({ listensUntil }) => listensUntil > nowMs),
  ]
  return takers.some(({ events }) => takesEvent(events, type))
}
