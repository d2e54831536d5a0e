import * as z from "zod"
import type { ConfigTable, RecordKey } from "./config-table.ts"
import type { App } from "./records.ts"

const itemSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  name: z.string(),
  environment: z.enum(["sandbox", "production"]),
  createdAt: z.number(),
})

/** The partition that holds an app and what belongs to it: its key versions and data roles. */
export const appPartition = (appId: string): string => `app#${appId}`

const keyOf = (id: string): RecordKey => ({ pk: appPartition(id), sk: "app" })

/** The app of an id; null when there is none. */
export async function findApp(table: ConfigTable, id: string): Promise<App | null> {
  const item = await table.get(keyOf(id))
  return item && itemSchema.parse(item)
}

/** False: an app of that id exists. */
export function createApp(table: ConfigTable, app: App): Promise<boolean> {
  return table.create(keyOf(app.id), { ...app })
}
