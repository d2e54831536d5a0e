import * as z from "zod"
import { pageRecords, type RecordPage, type RecordPageRequest } from "../tables/record-page.ts"
import type { RecordKey, Table } from "../tables/table.ts"
import type { App } from "./records.ts"
import { teamPartition } from "./team-table.ts"

const itemSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  name: z.string(),
  environment: z.enum(["sandbox", "production"]),
  status: z.enum(["enabled", "disabled"]),
  /** Absent from records written before there were any. */
  allowedOrigins: z.array(z.string()).default([]),
  /** Absent from records written before there were any. */
  cardInsights: z.boolean().default(false),
  createdAt: z.number(),
  revision: z.number(),
})

/** The partition that holds an app and what belongs to it: its keys, data roles and policies, webhook endpoints. */
export const appPartition = (appId: string): string => `app#${appId}`

const LISTED = "app#"

const keyOf = (id: string): RecordKey => ({ pk: appPartition(id), sk: "app" })
const listedKeyOf = (teamId: string, id: string): RecordKey => ({
  pk: teamPartition(teamId),
  sk: LISTED + id,
})

/** The app of an id; null when there is none. */
export async function findApp(table: Table, id: string): Promise<App | null> {
  const item = await table.get(keyOf(id))
  return item && itemSchema.parse(item)
}

/** False: an app of that id exists. */
export async function createApp(table: Table, app: App): Promise<boolean> {
  // Listed first: what is listed and was never made is passed over, what is made and never listed would be lost.
  await table.put(listedKeyOf(app.teamId, app.id), { id: app.id })
  return table.create(keyOf(app.id), { ...app })
}

/** Writes a changed app, and raises its revision. False: it has changed meanwhile. */
export function replaceApp(table: Table, app: App): Promise<boolean> {
  return table.replace(keyOf(app.id), { ...app }, app.revision)
}

/** The apps of a team, newest first. */
export function pageApps(table: Table, teamId: string, request: RecordPageRequest): Promise<RecordPage<App>> {
  return pageRecords(table, teamPartition(teamId), LISTED, request, ({ id }) => findApp(table, String(id)))
}
