import type { App } from "@sealway/accounts"
import { type Keyring, openForApp, type SealedPlace, sealedShape, sealForApp } from "@sealway/keys"
import { appPartition, type Item, type Log, pagesOf, type RecordKey, type Table } from "@sealway/ports"
import * as z from "zod"
import { UnreadableRecordError } from "../../unreadable-record-error.ts"
import { type Session, sessionContentSchema } from "./session.ts"

export interface SessionTableDependencies {
  readonly paymentsTable: Table
  readonly keyring: Pick<Keyring, "newest" | "open">
}

/** What is stored readably of a session: nothing that the app, the cardholder or networks said. */
const itemSchema = z.object({
  id: z.string(),
  appId: z.string(),
  createdAt: z.number(),
  updatedAt: z.number().nullable(),
  ...sealedShape,
  revision: z.number(),
})

const transactionSchema = z.object({ sessionId: z.string() })
const listedSchema = z.object({ sessionId: z.string(), createdAt: z.number() })

/** The ids of sessions are random, so a second record lists each of them by the time of its creation. */
const LISTED = "3ds-session-time#"
const TIME_DIGITS = 15
/** How many sessions are read at the same time. */
const READ_AT_ONCE = 50

const keyOf = (appId: string, id: string): RecordKey => ({ pk: appPartition(appId), sk: `3ds-session#${id}` })
const transactionKey = (appId: string, transactionId: string): RecordKey => ({
  pk: appPartition(appId),
  sk: `3ds-transaction#${transactionId.toLowerCase()}`,
})

const listedKey = ({ appId, createdAt, id }: Pick<Session, "appId" | "createdAt" | "id">): RecordKey => ({
  pk: appPartition(appId),
  sk: `${LISTED}${String(createdAt).padStart(TIME_DIGITS, "0")}#${id}`,
})

const placeOf = (app: App, id: string): SealedPlace => ({
  app,
  purpose: "payment-record",
  place: `3ds-session\0${id}`,
})

async function seal({ keyring }: SessionTableDependencies, app: App, session: Session): Promise<Item> {
  const { id, appId, createdAt, updatedAt, revision, ...content } = session
  const sealed = await sealForApp(keyring, placeOf(app, id), Buffer.from(JSON.stringify(content)))
  return { id, appId, createdAt, updatedAt, revision, ...sealed }
}

/** Returns null when the app has no such session. @throws UnreadableRecordError when it cannot be opened */
export async function findSession(
  { paymentsTable, keyring }: SessionTableDependencies,
  app: App,
  id: string,
): Promise<Session | null> {
  const item = await paymentsTable.get(keyOf(app.id, id))
  if (item === null) return null
  const outer = itemSchema.safeParse(item)
  if (!outer.success) throw new UnreadableRecordError({ cause: outer.error })
  const { appId, createdAt, updatedAt, revision, ...sealed } = outer.data
  const bytes = await openForApp(keyring, placeOf(app, id), sealed)
  const content = bytes === null ? null : sessionContentSchema.safeParse(JSON.parse(bytes.toString()))
  if (!content?.success) throw new UnreadableRecordError({ cause: content?.error })
  return { id, appId, ...content.data, createdAt, updatedAt, revision }
}

/** Finds a session by its id at networks. */
export async function findSessionOfTransaction(
  dependencies: SessionTableDependencies,
  app: App,
  transactionId: string,
): Promise<Session | null> {
  const item = await dependencies.paymentsTable.get(transactionKey(app.id, transactionId))
  return item && findSession(dependencies, app, transactionSchema.parse(item).sessionId)
}

/** Returns null and logs it when a session is unreadable, so that it does not hide all others. */
async function findOrLog(
  dependencies: SessionTableDependencies & { readonly log: Pick<Log, "warn"> },
  app: App,
  id: string,
): Promise<Session | null> {
  try {
    return await findSession(dependencies, app, id)
  } catch (error) {
    if (!(error instanceof UnreadableRecordError)) throw error
    dependencies.log.warn("a 3-D Secure session cannot be read", { requestId: id, error })
    return null
  }
}

/**
 * Yields an app's sessions, newest first. Unreadable ones are logged and left out: what would be shown of them is sealed.
 *
 * @param wanted how many of them the caller probably takes
 * @param startingAfter the session after which to begin. Default: the newest one is the first
 */
export async function* sessionsNewestFirst(
  dependencies: SessionTableDependencies & { readonly log: Pick<Log, "warn"> },
  app: App,
  wanted: number,
  startingAfter?: Session,
): AsyncGenerator<Session> {
  const request = {
    limit: Math.min(wanted, READ_AT_ONCE),
    after: startingAfter && listedKey(startingAfter).sk,
  }
  for await (const items of pagesOf(dependencies.paymentsTable, appPartition(app.id), LISTED, request)) {
    const found = await Promise.all(
      items.map(async (item) => {
        const { sessionId, createdAt } = listedSchema.parse(item)
        const session = await findOrLog(dependencies, app, sessionId)
        // A request that died before it created the session, and was repeated later, has listed it twice.
        return session?.createdAt === createdAt ? session : null
      }),
    )
    yield* found.filter((session) => session !== null)
  }
}

/**
 * Creates a session. What names it is written first: readers skip a name without a session, but a session without its
 * names would never be found.
 *
 * @throws Error when there is one with this id
 */
export async function createSession(
  dependencies: SessionTableDependencies,
  app: App,
  session: Session,
): Promise<void> {
  const { paymentsTable } = dependencies
  const { id, transactionId, createdAt } = session
  const name = { id, sessionId: id, revision: 1 }
  const areNamed = await Promise.all([
    paymentsTable.create(transactionKey(app.id, transactionId), name),
    paymentsTable.create(listedKey(session), { ...name, createdAt }),
  ])
  const isMade =
    areNamed.every(Boolean) &&
    (await paymentsTable.create(keyOf(app.id, id), await seal(dependencies, app, session)))
  if (!isMade) throw new Error("The new session's id is taken")
}

/**
 * Writes a session over the revision that it was made from.
 *
 * @returns the stored session; null when that revision was changed first
 */
export async function replaceSession(
  dependencies: SessionTableDependencies,
  app: App,
  session: Session,
): Promise<Session | null> {
  const item = await seal(dependencies, app, session)
  const isReplaced = await dependencies.paymentsTable.replace(
    keyOf(app.id, session.id),
    item,
    session.revision,
  )
  return isReplaced ? { ...session, revision: session.revision + 1 } : null
}
