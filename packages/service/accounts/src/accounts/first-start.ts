import type { RecordOf, Table } from "@sealway/ports"
import * as z from "zod"

/** Records what was created first, so that it is not created twice. */
const KEY = { pk: "first-start", sk: "first-start" }

const schema = z.object({ teamId: z.string(), appIds: z.array(z.string()) })

/** The team and the apps that a deployment starts with. */
export type FirstStart = RecordOf<typeof schema>

/** Returns null when a deployment has not started yet. */
export async function findFirstStart(table: Pick<Table, "get">): Promise<FirstStart | null> {
  const found = await table.get(KEY)
  return found && schema.parse(found)
}

/** Returns false when others were faster. */
export function createFirstStart(table: Table, { teamId, appIds }: FirstStart): Promise<boolean> {
  return table.create(KEY, { teamId, appIds: [...appIds] })
}
