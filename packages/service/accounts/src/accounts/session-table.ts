import { type RecordOf, recordsOf, type Table } from "@sealway/ports"
import * as z from "zod"

const sessionSchema = z.lazy(() =>
  z.object({
    id: z.string(),
    /** See `hashSessionToken`. */
    hash: z.string(),
    memberId: z.string(),
    teamId: z.string(),
    /** That of the member when the session began. */
    generation: z.number(),
    /** That of the roster when the session began: an older copy of it in memory does not know the member yet. */
    rosterRevision: z.number(),
    /** Epoch milliseconds. */
    createdAt: z.number(),
    /** Epoch milliseconds. Not named `expiresAt`, which has a meaning for tables. */
    endsAt: z.number(),
    /** Epoch milliseconds: the session is over then unless it was renewed. */
    idleUntil: z.number(),
    /** The address that it was started from. */
    ip: z.string(),
    /** What its browser calls itself, shortened. */
    userAgent: z.string(),
    revision: z.number(),
  }),
)

/** A member who has signed in, on one browser. */
export type Session = RecordOf<typeof sessionSchema>

const entrySchema = z.object({ id: z.string(), hash: z.string(), endsAt: z.number() })
const listSchema = z.lazy(() =>
  z.object({ memberId: z.string(), entries: z.array(entrySchema), revision: z.number() }),
)

type SessionList = RecordOf<typeof listSchema>

const sessions = recordsOf<Session, never>({
  prefix: "session",
  schema: sessionSchema,
  nameOf: () => "",
  partitionOf: (hash) => `session#${hash}`,
})

const lists = recordsOf<SessionList, never>({
  prefix: "sessions",
  schema: listSchema,
  nameOf: () => "",
  partitionOf: (memberId) => `member-sessions#${memberId}`,
})

/** How many sessions of one member are kept. The oldest end when there are more. */
export const MAX_SESSIONS = 20
const MAX_ATTEMPTS = 10

/** Finds a session by the hash of its secret, ended ones included. */
export function findSession(table: Pick<Table, "get">, hash: string): Promise<Session | null> {
  return sessions.find(table, hash, {})
}

/**
 * Creates a session, and ends the member's oldest ones beyond `MAX_SESSIONS`.
 *
 * @throws Error when other sign-ins of the member keep this one from being listed
 */
export async function createSessionRecord(table: Table, session: Session): Promise<void> {
  const { id, hash, memberId, createdAt, endsAt } = session
  // Listed first: a session that is not listed could not be revoked.
  const dropped = await changeList(table, memberId, (entries) => {
    const lasting = entries.filter((entry) => entry.endsAt > createdAt)
    return [...lasting, { id, hash, endsAt }].slice(-MAX_SESSIONS)
  })
  await sessions.create(table, hash, session)
  await removeAll(table, dropped)
}

/** Returns the session as it is now stored; null when another call changed or removed it first. */
export function replaceSession(table: Table, session: Session): Promise<Session | null> {
  return sessions.replace(table, session.hash, session)
}

/** Lists the sessions of a member, newest first, those that are over included. */
export async function listSessions(table: Pick<Table, "get">, memberId: string): Promise<readonly Session[]> {
  const list = await lists.find(table, memberId, {})
  const found = await Promise.all((list?.entries ?? []).map(({ hash }) => findSession(table, hash)))
  return found.filter((session) => session !== null).sort((left, right) => (left.id < right.id ? 1 : -1))
}

/** Removes a session. Returns false when the member has none with that id. */
export async function removeSession(table: Table, memberId: string, id: string): Promise<boolean> {
  const list = await lists.find(table, memberId, {})
  const entry = list?.entries.find((each) => each.id === id)
  if (entry === undefined) return false
  await removeAll(table, [entry])
  await changeList(table, memberId, (entries) => entries.filter((each) => each.id !== id))
  return true
}

/** Removes all sessions of a member. */
export async function removeSessions(table: Table, memberId: string): Promise<void> {
  await removeAll(table, await changeList(table, memberId, () => []))
}

type Entries = SessionList["entries"]

/** Changes what is listed. Returns the entries that are no longer listed. */
async function changeList(
  table: Table,
  memberId: string,
  change: (entries: Entries) => Entries,
): Promise<Entries> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const found = await lists.find(table, memberId, {})
    const before = found?.entries ?? []
    const entries = change(before)
    const isWritten =
      found === null
        ? await lists.create(table, memberId, { memberId, entries, revision: 1 })
        : (await lists.replace(table, memberId, { ...found, entries })) !== null
    if (isWritten) return before.filter(({ id }) => !entries.some((entry) => entry.id === id))
  }
  throw new Error("Too many changes of a member's sessions at the same time")
}

async function removeAll(table: Table, entries: Entries): Promise<void> {
  for (const { hash } of entries) {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const found = await findSession(table, hash)
      if (found === null || (await sessions.remove(table, hash, found))) break
    }
  }
}
