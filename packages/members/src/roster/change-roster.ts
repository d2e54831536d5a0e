import { ConflictError } from "@sealway/kernel"
import {
  type AuditEntry,
  audited,
  emptyRoster,
  findRoster,
  type Platform,
  type Roster,
  writeRoster,
} from "@sealway/platform"

export type RosterDependencies = Pick<Platform, "configTable" | "audit">

/** Returns the roster as it is stored now; one without members when there is none. */
export async function readRoster(
  { configTable }: Pick<RosterDependencies, "configTable">,
  teamId: string,
): Promise<Roster> {
  return (await findRoster(configTable, teamId)) ?? emptyRoster(teamId)
}

/** Writes a changed roster after recording the change. @throws ConflictError when another request was faster */
export function saveRoster(
  { configTable, audit }: RosterDependencies,
  entry: AuditEntry,
  roster: Roster,
): Promise<Roster> {
  return audited(audit, entry, async () => {
    const stored = await writeRoster(configTable, roster)
    if (stored === null) throw new ConflictError("Another request is changing the members. Try again.")
    return stored
  })
}
