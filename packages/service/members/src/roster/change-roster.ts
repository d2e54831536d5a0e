import { emptyRoster, findRoster, type Roster, writeRoster } from "@sealway/accounts"
import type { Platform } from "@sealway/http"
import { ConflictError } from "@sealway/kernel"
import { type AuditEntry, audited } from "@sealway/records"

export type RosterDependencies = Pick<Platform, "keysTable" | "audit">

/** Returns the roster as it is stored now; one without members when there is none. */
export async function readRoster(
  { keysTable }: Pick<RosterDependencies, "keysTable">,
  teamId: string,
): Promise<Roster> {
  return (await findRoster(keysTable, teamId)) ?? emptyRoster(teamId)
}

/** Writes a changed roster after recording the change. @throws ConflictError when another request was faster */
export function saveRoster(
  { keysTable, audit }: RosterDependencies,
  entry: AuditEntry,
  roster: Roster,
): Promise<Roster> {
  return audited(audit, entry, async () => {
    const stored = await writeRoster(keysTable, roster)
    if (stored === null) throw new ConflictError("Another request is changing the members. Try again.")
    return stored
  })
}
