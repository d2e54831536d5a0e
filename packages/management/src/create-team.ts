import { createId, createTeam as createTeamRecord, type Platform, type Team } from "@sealway/platform"

/** Creates a team. */
export async function createTeam({ table, wallClock }: Platform, name: string): Promise<Team> {
  const team: Team = { id: createId("team"), name, createdAt: wallClock() }
  if (!(await createTeamRecord(table, team))) throw new Error("The new team's id is taken")
  return team
}
