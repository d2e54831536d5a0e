import { appPartition, type Table } from "@sealway/ports"

/** `createEvents` of the platform reads all subscriptions by this prefix. */
const KEY = "webhook-watch#honey-tokens"

/**
 * Has the worker of events see an app's audit records, whether or not a webhook endpoint takes them. From then on every
 * refused decryption of the app is published, so that a refused honey token makes the same calls as any refused value.
 * Their events are kept as long as those of an endpoint, so that no touch is lost while the worker is down. It is never
 * removed: honey tokens are known by their tokens, which nobody can count.
 */
export async function watchRefusals(table: Pick<Table, "put">, appId: string): Promise<void> {
  await table.put({ pk: appPartition(appId), sk: KEY }, { events: ["audit-log.event"], revision: 1 })
}
