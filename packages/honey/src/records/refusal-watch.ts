import { appPartition, type Table } from "@sealway/platform"

/** `createEvents` of the platform reads all subscriptions by this prefix. */
const KEY = "webhook-watch#honey-tokens"
const FOREVER = Number.MAX_SAFE_INTEGER

/**
 * Has the worker of events see an app's audit records, whether or not a webhook endpoint takes them. From then on every
 * refused decryption of the app is published, so that a refused honey token makes the same calls as any refused value.
 * It is never removed: honey tokens are known by their tokens, which nobody can count.
 */
export async function watchRefusals(table: Pick<Table, "put">, appId: string): Promise<void> {
  const watch = { events: ["audit-log.event"], listensUntil: FOREVER, revision: 1 }
  await table.put({ pk: appPartition(appId), sk: KEY }, watch)
}
