import type { App } from "@sealway/accounts"
import type { Keyring } from "@sealway/keys"
import type { Table } from "@sealway/ports"
import { findBriefEventData, openEventData } from "@sealway/records"
import type { WebhookEvent } from "./webhook-event-table.ts"

/**
 * Returns the data for an event's receivers as JSON, opened if it was sealed.
 *
 * @throws Error when it does not open
 */
export async function eventDataOf(
  {
    keyring,
    eventsTable,
  }: { readonly keyring: Pick<Keyring, "open">; readonly eventsTable: Pick<Table, "get"> },
  app: App,
  { id, data, sealedData, hasBrief }: WebhookEvent,
): Promise<string> {
  const brief = hasBrief === true ? await findBriefEventData(eventsTable, app.id, id) : null
  if (brief !== null) return openEventData(keyring, app, id, brief)
  if (sealedData !== undefined) return openEventData(keyring, app, id, sealedData)
  if (data === null) throw new Error("An event holds nothing to tell")
  return data
}
