import * as z from "zod"
import { teamPartition } from "../tables/partitions.ts"
import { pageRecords, type RecordPage, type RecordPageRequest } from "../tables/record-page.ts"
import { type RecordOf, recordsOf } from "../tables/records.ts"
import type { RecordKey, Table } from "../tables/table.ts"

const appSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  name: z.string(),
  /** What the app is for. Values sealed in one app never open in another, so the two never mix. */
  environment: z.enum(["sandbox", "production"]),
  /** A disabled app's credentials are refused. */
  status: z.enum(["enabled", "disabled"]),
  /** Origins whose pages may embed or talk to what the app serves to browsers, as `Origin` has them. Older records have none. */
  allowedOrigins: z.array(z.string()).default([]),
  /** Whether a production app may ask for card insights. A sandbox app always may. Older records do not say. */
  cardInsights: z.boolean().default(false),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  revision: z.number(),
})

export type App = RecordOf<typeof appSchema>
export type Environment = App["environment"]

const LISTED = "app#"

const appRecords = recordsOf<App, never>({ prefix: "app", schema: appSchema, nameOf: () => "" })

const listedKeyOf = (teamId: string, id: string): RecordKey => ({
  pk: teamPartition(teamId),
  sk: LISTED + id,
})

/** The app of an id; null when there is none. */
export function findApp(table: Table, id: string): Promise<App | null> {
  return appRecords.find(table, id, {})
}

/** False: an app of that id exists. */
export async function createApp(table: Table, app: App): Promise<boolean> {
  // Listed first: what is listed and was never made is passed over, what is made and never listed would be lost.
  await table.put(listedKeyOf(app.teamId, app.id), { id: app.id })
  return appRecords.create(table, app.id, app)
}

/** Returns the app as it is stored now; null when another call changed it meanwhile. */
export function replaceApp(table: Table, app: App): Promise<App | null> {
  return appRecords.replace(table, app.id, app)
}

/** The apps of a team, newest first. */
export function pageApps(table: Table, teamId: string, request: RecordPageRequest): Promise<RecordPage<App>> {
  return pageRecords(table, teamPartition(teamId), LISTED, request, ({ id }) => findApp(table, String(id)))
}
