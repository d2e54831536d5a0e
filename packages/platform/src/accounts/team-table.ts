import * as z from "zod"
import type { RecordKey, Table } from "../tables/table.ts"
import type { Team } from "./records.ts"

const itemSchema = z.object({ id: z.string(), name: z.string(), createdAt: z.number(), revision: z.number() })

/** The partition that holds a team and what belongs to it: the list of its apps, and its team keys. */
export const teamPartition = (teamId: string): string => `team#${teamId}`

const keyOf = (id: string): RecordKey => ({ pk: teamPartition(id), sk: "team" })

/** The team of an id; null when there is none. */
export async function findTeam(table: Table, id: string): Promise<Team | null> {
  const item = await table.get(keyOf(id))
  return item && itemSchema.parse(item)
}

/** False: a team of that id exists. */
export function createTeam(table: Table, team: Team): Promise<boolean> {
  return table.create(keyOf(team.id), { ...team })
}

/** Writes a changed team, and raises its revision. False: it has changed meanwhile. */
export function replaceTeam(table: Table, team: Team): Promise<boolean> {
  return table.replace(keyOf(team.id), { ...team }, team.revision)
}
