import { ApiError, ConflictError, isId, NotFoundError } from "@sealway/kernel"
import { type App, type AuditAuthor, type AuditLog, audited, keepWithinLimit } from "@sealway/platform"
import { askNetwork } from "./ask-network.ts"
import { type EnrolledKind, type EnrolmentDependencies, workOf } from "./enrolled-kind.ts"
import { dueAtOf, type EnrolledRecord, withdrawEnrolment } from "./enrolled-record.ts"
import { MAX_WAIT_MS, sendEnrolmentWork } from "./messages.ts"
import { namePending } from "./pending-enrolments.ts"

/** What changing merchants and acquirers needs. */
export interface KeepingDependencies extends EnrolmentDependencies {
  readonly audit: AuditLog
  /** @throws ApiError `service-unavailable` when the app has no network to enrol with */
  readonly requireCardNetwork: (app: App) => Promise<void>
}

/** How errors name a record of a kind. */
const NAMES = { merchant: "The merchant", acquirer: "The acquirer" } as const

/**
 * Enrolments of one record, with those that a network is still to be told the end of. More than a record asks for at once,
 * and few enough for one item of the table, whatever their names.
 */
const MAX_ENROLMENTS = 250

/** Asking a network that answers at once ends soon: each enrolment is asked about once or twice. */
const MAX_ASKS = 100

/** @throws NotFoundError alike for a malformed id, a deleted record, another app's and none */
export async function requireEnrolled<Details>(
  kind: EnrolledKind<Details>,
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring">,
  app: App,
  id: string,
): Promise<EnrolledRecord<Details>> {
  const found = isId(kind.type, id) ? await kind.table.find(dependencies, app, id) : null
  if (found === null || found.deletedAt !== null) throw new NotFoundError(NAMES[kind.type])
  return found
}

/** All records of an app that are not deleted, newest first. */
export async function listEnrolled<Details>(
  kind: EnrolledKind<Details>,
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring" | "log">,
  app: App,
): Promise<readonly EnrolledRecord<Details>[]> {
  return (await kind.table.list(dependencies, app)).filter(({ deletedAt }) => deletedAt === null)
}

/**
 * Keeps a new record, and sees to it that its networks are asked.
 *
 * @param max records of the kind that an app may have
 * @throws ConflictError when the app has as many already
 */
export async function addEnrolled<Details>(
  kind: EnrolledKind<Details>,
  dependencies: KeepingDependencies,
  app: App,
  made: EnrolledRecord<Details>,
  max: number,
  author: AuditAuthor,
): Promise<EnrolledRecord<Details>> {
  const { paymentsTable, audit, wallClock } = dependencies
  await dependencies.requireCardNetwork(app)
  const refusal = `The app has ${max} ${kind.type}s, which is as many as an app can have.`
  if ((await kind.table.ids(dependencies, app)).length >= max) throw new ConflictError(refusal)
  const record = await askedAtOnce(kind, dependencies, app, made)
  const work = workOf(kind, app, record.id)
  return audited(audit, entryOf(kind, app, record.id, "create", author), async () => {
    // Named first: what is named and was never made is passed over, what is made and not named could be lost.
    if (dueAtOf(record) !== null) await namePending(paymentsTable, work, wallClock(), record.revision)
    if (!(await kind.table.create(dependencies, app, record))) throw new Error("The new record's id is taken")
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
 * Writes a change of a record, and sees to it that its networks are asked.
 *
 * @param record at the revision that it was changed from
 * @param fields that were changed, for the audit log
 * @throws ConflictError when it was changed meanwhile, or networks are to be told of too many earlier changes
 */
export async function changeEnrolled<Details>(
  kind: EnrolledKind<Details>,
  dependencies: KeepingDependencies,
  app: App,
  changed: EnrolledRecord<Details>,
  fields: readonly string[],
  author: AuditAuthor,
): Promise<EnrolledRecord<Details>> {
  const updated = { ...changed, updatedAt: dependencies.wallClock() }
  if (hasToAsk(updated)) await dependencies.requireCardNetwork(app)
  const record = await askedAtOnce(kind, dependencies, app, updated)
  if (record.enrolments.length > MAX_ENROLMENTS) {
    throw new ConflictError("The card networks have not taken earlier changes yet. Try again later.")
  }
  const entry = { ...entryOf(kind, app, record.id, "update", author), details: { fields: fields.join(" ") } }
  return audited(dependencies.audit, entry, () => write(kind, dependencies, app, record))
}

/**
 * Deletes a record. It is gone at once for all who ask; it is kept until the networks know.
 *
 * @throws ConflictError when it was changed meanwhile
 */
export async function deleteEnrolled<Details>(
  kind: EnrolledKind<Details>,
  dependencies: KeepingDependencies,
  app: App,
  found: EnrolledRecord<Details>,
  author: AuditAuthor,
): Promise<void> {
  const nowMs = dependencies.wallClock()
  const withdrawn = found.enrolments.reduce(
    (current, { name }) => withdrawEnrolment(current, name, nowMs),
    found,
  )
  const deleted = { ...withdrawn, deletedAt: nowMs }
  const record = await askedAtOnce(kind, dependencies, app, deleted)
  await audited(dependencies.audit, entryOf(kind, app, found.id, "delete", author), async () => {
    // An event that is not published yet goes out first.
    if (hasToAsk(record) || record.untold !== null) {
      await write(kind, dependencies, app, record)
    } else if (!(await kind.table.remove(dependencies, found))) throw changedMeanwhile(kind)
  })
}

async function write<Details>(
  kind: EnrolledKind<Details>,
  dependencies: KeepingDependencies,
  app: App,
  record: EnrolledRecord<Details>,
): Promise<EnrolledRecord<Details>> {
  if (dueAtOf(record) !== null) {
    const work = workOf(kind, app, record.id)
    await namePending(dependencies.paymentsTable, work, dependencies.wallClock(), record.revision + 1)
  }
  const replaced = await kind.table.replace(dependencies, app, record)
  if (replaced === null) throw changedMeanwhile(kind)
  await wakeWorker(kind, dependencies, app, replaced)
  return replaced
}

/** The sandbox decides at once; a production app's network is asked by a worker, which can wait for it. */
async function askedAtOnce<Details>(
  kind: EnrolledKind<Details>,
  { cardNetworkOf, wallClock }: KeepingDependencies,
  app: App,
  record: EnrolledRecord<Details>,
): Promise<EnrolledRecord<Details>> {
  if (app.environment !== "sandbox") return record
  const network = cardNetworkOf(app, wallClock)
  const onSetback = (error: unknown) => {
    throw error
  }
  let current = record
  for (let asks = 0; asks < MAX_ASKS; asks++) {
    const asked = await askNetwork(kind, network, current, { wallClock, onSetback })
    if (asked === current) return current
    current = asked
  }
  throw new ApiError("service-unavailable", "The card networks do not answer. Try again shortly.")
}

async function wakeWorker<Details>(
  kind: EnrolledKind<Details>,
  { queues, wallClock }: KeepingDependencies,
  app: App,
  record: EnrolledRecord<Details>,
): Promise<void> {
  const dueAt = dueAtOf(record)
  if (dueAt === null) return
  const waitMs = Math.max(dueAt - wallClock(), 0)
  if (waitMs <= MAX_WAIT_MS) await sendEnrolmentWork(queues, workOf(kind, app, record.id), waitMs)
}

function hasToAsk({ enrolments }: EnrolledRecord<unknown>): boolean {
  return enrolments.some(({ checkAt }) => checkAt !== null)
}

function changedMeanwhile({ type }: { readonly type: "merchant" | "acquirer" }): ConflictError {
  return new ConflictError(`${NAMES[type]} is being changed by another call. Try again.`)
}

function entryOf<Details>(
  { type }: EnrolledKind<Details>,
  app: App,
  id: string,
  verb: "create" | "update" | "delete",
  author: AuditAuthor,
) {
  return { ...author, teamId: app.teamId, appId: app.id, action: `${type}.${verb}`, target: { type, id } }
}
