import { recordsOf, type Table } from "@sealway/ports"
import * as z from "zod"
import { ALERT_TYPES, type RelayAlert } from "./relay-alert.ts"

const alertSchema = z.object({
  id: z.string(),
  appId: z.string(),
  relayId: z.string(),
  type: z.enum(ALERT_TYPES),
  url: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  revision: z.number(),
})

type AlertName = Pick<RelayAlert, "relayId" | "id">

const PREFIX = "relay-alert#"
const nameOf = ({ relayId, id }: AlertName): string => withinRelay({ relayId }) + id

export const alertRecords = recordsOf<RelayAlert, keyof AlertName>({
  prefix: PREFIX,
  schema: alertSchema,
  nameOf,
})

/** Returns the prefix of the names of a relay's alerts. */
export function withinRelay({ relayId }: Pick<RelayAlert, "relayId">): string {
  return `${relayId}#`
}

/** Returns the sort key of an alert among its app's records. Deliveries read the alert's `url` there. */
export function alertRecordKey(name: AlertName): string {
  return PREFIX + nameOf(name)
}

/** Lists all alerts of a relay, newest first. */
export function listRelayAlerts(
  table: Pick<Table, "list">,
  appId: string,
  relayId: string,
): Promise<readonly RelayAlert[]> {
  return alertRecords.list(table, appId, withinRelay({ relayId }))
}

/** Removes all alerts of a relay that is being removed. */
export async function removeRelayAlerts(table: Table, appId: string, relayId: string): Promise<void> {
  const alerts = await listRelayAlerts(table, appId, relayId)
  await Promise.all(alerts.map((alert) => alertRecords.remove(table, appId, alert)))
}
