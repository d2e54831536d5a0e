import { appPartition, type Item, type RecordKey, type Table } from "@sealway/platform"
import * as z from "zod"
import { ALERT_TYPES, type RelayAlert } from "./relay-alert.ts"

const itemSchema = z.object({
  id: z.string(),
  appId: z.string(),
  relayId: z.string(),
  type: z.enum(ALERT_TYPES),
  url: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  revision: z.number(),
})

type AlertPlace = Pick<RelayAlert, "relayId" | "id">

const prefixOf = (relayId: string) => `relay-alert#${relayId}#`

/** Returns the sort key of an alert among its app's records. Deliveries read the alert's `url` there. */
export const alertRecordKey = ({ relayId, id }: AlertPlace): string => prefixOf(relayId) + id

const keyOf = (appId: string, place: AlertPlace): RecordKey => ({
  pk: appPartition(appId),
  sk: alertRecordKey(place),
})

const parse = (item: Item): RelayAlert => itemSchema.parse(item)

/** Returns null when the relay has no alert with this id. */
export async function findRelayAlert(
  table: Pick<Table, "get">,
  appId: string,
  place: AlertPlace,
): Promise<RelayAlert | null> {
  const item = await table.get(keyOf(appId, place))
  return item && parse(item)
}

/** Lists all alerts of a relay, newest first. */
export async function listRelayAlerts(
  table: Pick<Table, "list">,
  appId: string,
  relayId: string,
): Promise<readonly RelayAlert[]> {
  return (await table.list(appPartition(appId), prefixOf(relayId))).map(parse)
}

/** Returns false when there is one with this id. */
export function createRelayAlert(table: Pick<Table, "create">, alert: RelayAlert): Promise<boolean> {
  return table.create(keyOf(alert.appId, alert), { ...alert })
}

/**
 * Writes an alert over the revision that it was made from. Returns false when that one was changed or removed first.
 */
export function replaceRelayAlert(table: Pick<Table, "replace">, alert: RelayAlert): Promise<boolean> {
  return table.replace(keyOf(alert.appId, alert), { ...alert }, alert.revision)
}

/** Returns false when it was changed or removed first. */
export function removeRelayAlert(table: Pick<Table, "remove">, alert: RelayAlert): Promise<boolean> {
  return table.remove(keyOf(alert.appId, alert), alert.revision)
}

/** Removes all alerts of a relay that is being removed. */
export async function removeRelayAlerts(
  table: Pick<Table, "list" | "remove">,
  appId: string,
  relayId: string,
): Promise<void> {
  const alerts = await listRelayAlerts(table, appId, relayId)
  await Promise.all(alerts.map((alert) => removeRelayAlert(table, alert)))
}
