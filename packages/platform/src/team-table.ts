import * as z from "zod"
import type { ConfigTable, RecordKey } from "./config-table.ts"
import type { Team } from "./records.ts"

const itemSchema = z.object({ id: z.string(), name: z.string(), createdAt: z.number() })

const keyOf = (id: string): RecordKey => ({ pk: `team#${id}`, sk: "team" })

/** The team of an id; null when there is none. */
export async function findTeam(table: ConfigTable, id: string): Promise<Team | null> {
  const item = await table.get(keyOf(id))
  return item && itemSchema.parse(item)
}

/** False: a team of that id exists. */
export function createTeam(table: ConfigTable, team: Team): Promise<boolean> {
  return table.create(keyOf(team.id), { ...team })
}
