import { type RecordOf, recordsOf, type Table, teamPartition } from "@sealway/ports"
import * as z from "zod"

const teamSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  revision: z.number(),
})

export type Team = RecordOf<typeof teamSchema>

const teamRecords = recordsOf<Team, never>({
  prefix: "team",
  schema: teamSchema,
  nameOf: () => "",
  partitionOf: teamPartition,
})

/** Finds a team by its id. */
export function findTeam(table: Table, id: string): Promise<Team | null> {
  return teamRecords.find(table, id, {})
}

/** Returns false when a team with that id exists. */
export function createTeam(table: Table, team: Team): Promise<boolean> {
  return teamRecords.create(table, team.id, team)
}

/** Returns the team as it is now stored; null when another call changed it first. */
export function replaceTeam(table: Table, team: Team): Promise<Team | null> {
  return teamRecords.replace(table, team.id, team)
}
