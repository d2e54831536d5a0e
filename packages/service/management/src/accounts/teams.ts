import { createTeam as createTeamRecord, findTeam, replaceTeam, type Team } from "@sealway/accounts"
import type { Platform } from "@sealway/http"
import { ConflictError, NotFoundError } from "@sealway/kernel"
import { type AuditAuthor, audited } from "@sealway/records"

/** Creates a team. */
export async function createTeam(
  { configTable, audit, draws, wallClock }: Pick<Platform, "configTable" | "audit" | "draws" | "wallClock">,
  name: string,
  author: AuditAuthor,
): Promise<Team> {
  const createdAt = wallClock()
  const team: Team = { id: draws.newId("team", createdAt), name, createdAt, revision: 1 }
  const target = { type: "team", id: team.id }
  return audited(
    audit,
    { ...author, teamId: team.id, appId: null, action: "team.create", target },
    async () => {
      if (!(await createTeamRecord(configTable, team))) throw new Error("The new team's id is taken")
      return team
    },
  )
}

/** Renames a team. @throws ConflictError when another call changes it at the same time */
export async function renameTeam(
  { configTable, audit }: Pick<Platform, "configTable" | "audit">,
  teamId: string,
  name: string,
  author: AuditAuthor,
): Promise<Team> {
  const team = await findTeam(configTable, teamId)
  if (team === null) throw new NotFoundError("The team")
  const entry = {
    ...author,
    teamId,
    appId: null,
    action: "team.update",
    target: { type: "team", id: teamId },
  }
  return audited(audit, entry, async () => {
    const renamed = await replaceTeam(configTable, { ...team, name })
    if (renamed === null) throw new ConflictError("Another request is changing the team. Try again.")
    return renamed
  })
}
