import { type App, type Keyring, openEventData } from "@sealway/platform"
import type { WebhookEvent } from "./webhook-event-table.ts"

/**
 * What receivers are told of an event, as JSON: opened, where it is sealed.
 *
 * @throws Error when it does not open
 */
export async function eventDataOf(
  keyring: Pick<Keyring, "open">,
  app: App,
  { id, data, sealedData }: WebhookEvent,
): Promise<string> {
  if (sealedData !== undefined) return openEventData(keyring, app, id, sealedData)
  if (data === null) throw new Error("An event holds nothing to tell")
  return data
}
