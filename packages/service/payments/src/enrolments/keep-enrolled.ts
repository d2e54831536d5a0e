import type { App } from "@sealway/accounts"
import { ApiError, ConflictError, isId, NotFoundError } from "@sealway/kernel"
import { keepWithinLimit } from "@sealway/ports"
import { type AuditAuthor, type AuditLog, appEntry, audited } from "@sealway/records"
import { askNetwork } from "./ask-network.ts"
import { isCheckedDaily } from "./daily-checks.ts"
import { type EnrolledKind, type EnrolmentDependencies, workOf } from "./enrolled-kind.ts"
import { dueAtOf, type EnrolledRecord } from "./enrolled-record.ts"
import type { EnrolmentDecision } from "./enrolment.ts"
import { MAX_WAIT_MS, sendEnrolmentWork } from "./messages.ts"
import { namePending } from "./pending-enrolments.ts"
import { ChangedMeanwhileError } from "./until-written.ts"

/** The dependencies for changing merchants and acquirers. */
export interface KeepingDependencies extends EnrolmentDependencies {
  readonly audit: AuditLog
  /** @throws ApiError `service-unavailable` when the app has no network to enrol with */
  readonly requireCardNetwork: (app: App) => Promise<void>
}

/** A network that answers immediately finishes soon: each enrolment is asked about once or twice. */
const MAX_ASKS = 100

/** Finds a record. @throws NotFoundError alike for a malformed id, a deleted record, another app's and none */
export async function requireEnrolled<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring">,
  app: App,
  id: string,
): Promise<EnrolledRecord<Details>> {
  const found = isId(kind.idPrefix, id) ? await kind.table.find(dependencies, app, id) : null
  if (found === null || found.deletedAt !== null) throw new NotFoundError(kind.title)
  return found
}

/** Lists all records of an app that are not deleted, newest first. */
export async function listEnrolled<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring" | "log">,
  app: App,
): Promise<readonly EnrolledRecord<Details>[]> {
  return (await kind.table.list(dependencies, app)).filter(({ deletedAt }) => deletedAt === null)
}

/**
 * Creates a record, and has its networks asked.
 *
 * @param max the maximum number of records of the kind for an app
 * @throws ConflictError when the app has reached it
 */
export async function addEnrolled<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  dependencies: KeepingDependencies,
  app: App,
  made: EnrolledRecord<Details>,
  max: number,
  author: AuditAuthor,
): Promise<EnrolledRecord<Details>> {
  const { audit } = dependencies
  await dependencies.requireCardNetwork(app)
  const refusal = `The app has ${max} ${kind.type}s, the maximum.`
  if ((await kind.table.ids(dependencies, app)).length >= max) throw new ConflictError(refusal)
  const record = await askedAtOnce(kind, dependencies, app, made)
  return audited(audit, entryOf(kind, app, record.id, "create", author), async () => {
    if (!(await makeEnrolled(kind, dependencies, app, record)))
      throw new Error("The new record's id is taken")
    await keepWithinLimit({
      id: record.id,
      count: async () => [{ ids: await kind.table.ids(dependencies, app), max, refusal }],
      undo: async () => {
        const found = await kind.table.find(dependencies, app, record.id)
        return found === null || kind.table.remove(dependencies, found)
      },
    })
    await wakeWorker(kind, dependencies, app, record)
    return record
  })
}

/**
 * Writes a new record, and lists it as pending if there is something to do. Listed first: readers skip an entry without
 * a record, but a record that is not listed could be lost.
 *
 * @returns false when there is one with this id
 */
export async function makeEnrolled<Details>(
  kind: Pick<EnrolledKind<Details>, "type" | "table">,
  dependencies: EnrolmentDependencies,
  app: App,
  record: EnrolledRecord<Details>,
): Promise<boolean> {
  const { paymentsTable, wallClock } = dependencies
  if (dueAtOf(record) !== null) {
    await namePending(paymentsTable, workOf(kind, app, record.id), wallClock(), record.revision)
  }
  return kind.table.create(dependencies, app, record)
}

/**
 * Reads a record after it was written. Each attempt of a request seals a number differently, so the repetition of one
 * that died must return what the first attempt stored.
 */
export async function storedRecord<Details>(
  kind: Pick<EnrolledKind<Details>, "table">,
  dependencies: EnrolmentDependencies,
  app: App,
  written: EnrolledRecord<Details>,
): Promise<EnrolledRecord<Details>> {
  return (await kind.table.find(dependencies, app, written.id)) ?? written
}

/**
 * Asks immediately in the sandbox, which decides immediately; a production app's network is asked by a worker, which
 * can wait for it.
 */
export async function askedAtOnce<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  dependencies: EnrolmentDependencies,
  app: App,
  record: EnrolledRecord<Details>,
): Promise<EnrolledRecord<Details>> {
  if (app.environment !== "sandbox") return record
  const network = dependencies.cardNetworkOf(app, dependencies.wallClock)
  const onSetback = (error: unknown) => {
    throw error
  }
  let current = record
  for (let asks = 0; asks < MAX_ASKS; asks++) {
    const asked = await askNetwork(kind, app, current, { ...dependencies, network, onSetback })
    if (asked === current) return current
    current = asked
  }
  throw new ApiError("service-unavailable", "The card networks do not respond. Try again shortly.")
}

export async function wakeWorker(
  kind: Pick<EnrolledKind<unknown>, "type">,
  { queues, wallClock }: Pick<EnrolmentDependencies, "queues" | "wallClock">,
  app: App,
  record: EnrolledRecord<unknown>,
  { isNamed = false }: { readonly isNamed?: boolean } = {},
): Promise<void> {
  const dueAt = dueAtOf(record)
  const work = workOf(kind, app, record.id)
  if (dueAt === null) {
    if (isNamed) await sendEnrolmentWork(queues, work)
    return
  }
  const waitMs = Math.max(dueAt - wallClock(), 0)
  if (waitMs <= MAX_WAIT_MS) await sendEnrolmentWork(queues, work, waitMs)
  // A worker moves its entry to the daily ones.
  else if (isCheckedDaily(kind.type)) await sendEnrolmentWork(queues, work)
}

export function changedMeanwhile({ title }: Pick<EnrolledKind<unknown>, "title">): ChangedMeanwhileError {
  return new ChangedMeanwhileError(`${title} is being changed by another request. Try again.`)
}

export function entryOf(
  { type }: Pick<EnrolledKind<unknown>, "type">,
  app: App,
  id: string,
  verb: "create" | "update" | "delete" | "simulate",
  author: AuditAuthor,
) {
  return appEntry(app, { type, id }, verb, author)
}
