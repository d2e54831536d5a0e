import { type RecordOf, recordsOf, type Table, teamPartition } from "@sealway/ports"
import * as z from "zod"
import { actorSchema } from "./caller.ts"
import { MEMBER_ROLES } from "./member-roles.ts"

const memberSchema = z.lazy(() =>
  z.object({
    id: z.string(),
    /** Lower-case. Null for the owner of a service on one machine. */
    email: z.string().nullable(),
    name: z.string(),
    role: z.enum(MEMBER_ROLES),
    /** Raised when the role changes. Sessions of an earlier generation are over. */
    generation: z.number(),
    /** Who the identity provider says that the member is. An e-mail address can change hands; this cannot. */
    issuer: z.string(),
    subject: z.string(),
    /** Epoch milliseconds. */
    createdAt: z.number(),
  }),
)

const invitationSchema = z.lazy(() =>
  z.object({
    id: z.string(),
    /** Lower-case. */
    email: z.string(),
    role: z.enum(MEMBER_ROLES),
    invitedBy: actorSchema,
    /** Epoch milliseconds. */
    createdAt: z.number(),
    /** Epoch milliseconds. */
    expiresAt: z.number(),
  }),
)

const rosterSchema = z.lazy(() =>
  z.object({
    teamId: z.string(),
    members: z.array(memberSchema),
    invitations: z.array(invitationSchema),
    revision: z.number(),
  }),
)

/** Somebody who may sign in. */
export type Member = RecordOf<typeof memberSchema>
export type Invitation = RecordOf<typeof invitationSchema>

/**
 * The members and invitations of a team, in one record: accepting an invitation, and keeping the last owner, are then one
 * conditional write.
 */
export type Roster = RecordOf<typeof rosterSchema>

const rosters = recordsOf<Roster, never>({
  prefix: "roster",
  schema: rosterSchema,
  nameOf: () => "",
  partitionOf: teamPartition,
})

/** Finds the roster of a team; null when nobody was ever invited. */
export function findRoster(table: Pick<Table, "get">, teamId: string): Promise<Roster | null> {
  return rosters.find(table, teamId, {})
}

/** Writes a roster over the revision that it was made from, or as the first one. Returns null when others were faster. */
export async function writeRoster(table: Table, roster: Roster): Promise<Roster | null> {
  if (roster.revision > 0) return rosters.replace(table, roster.teamId, roster)
  const first = { ...roster, revision: 1 }
  return (await rosters.create(table, roster.teamId, first)) ? first : null
}

/** Returns the roster of a team without members. */
export function emptyRoster(teamId: string): Roster {
  return { teamId, members: [], invitations: [], revision: 0 }
}
