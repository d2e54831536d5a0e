import { setImmediate } from "node:timers/promises"
import type { App } from "@sealway/accounts"
import { type Keyring, openForApp, type SealedPlace, sealedShape, sealForApp } from "@sealway/keys"
import { appPartition, type Item, type Log, pagesOf, type RecordKey, type Table } from "@sealway/ports"
import * as z from "zod"
import { UnreadableRecordError } from "../unreadable-record-error.ts"
import { dueAtOf, type EnrolledRecord } from "./enrolled-record.ts"

/** What is stored readably of a record: nothing that the app said. */
const itemSchema = z.lazy(() =>
  z.object({
    id: z.string(),
    appId: z.string(),
    createdAt: z.number(),
    updatedAt: z.number().nullable(),
    deletedAt: z.number().nullable(),
    /** See `dueAtOf`. A sweeper, which has no keys, uses it. */
    dueAt: z.number().nullable(),
    ...sealedShape,
    revision: z.number(),
  }),
)

const enrolmentSchema = z.lazy(() =>
  z.object({
    name: z.string(),
    status: z.enum(["inactive", "pending", "active", "failed", "withdrawing"]),
    round: z.number(),
    requestedAt: z.number(),
    newsAt: z.number(),
    checkAt: z.number().nullable(),
    setbacks: z.number(),
    identifier: z.string().nullable(),
  }),
)

const eventTypeSchema = z.templateLiteral(["payments.", z.string()])

/** How many records are opened before yielding to others. */
const OPENED_AT_ONCE = 25

export const ENROLLED_TYPES = [
  "merchant",
  "acquirer",
  "card",
  "network-token",
  "card-subscription",
  "retry-watch",
  "chargeback-alert",
] as const
export type EnrolledType = (typeof ENROLLED_TYPES)[number]

export interface EnrolledTableDependencies {
  readonly paymentsTable: Table
  readonly keyring: Pick<Keyring, "newest" | "open">
}

/** Records of one type, sealed with their app's keys. */
export interface EnrolledTable<Details> {
  find(dependencies: EnrolledTableDependencies, app: App, id: string): Promise<EnrolledRecord<Details> | null>
  /** Lists all records of an app, newest first, including deleted ones. Unreadable ones are logged and left out. */
  list(
    dependencies: EnrolledTableDependencies & { readonly log: Pick<Log, "warn"> },
    app: App,
  ): Promise<readonly EnrolledRecord<Details>[]>
  /** Yields those of `list` after an id, or all, one by one, reading more as needed. */
  newestFirst(
    dependencies: EnrolledTableDependencies & { readonly log: Pick<Log, "warn"> },
    app: App,
    startingAfter: string | undefined,
  ): AsyncIterable<EnrolledRecord<Details>>
  /** Returns the ids of an app's records that are not deleted, newest first. Opens nothing. */
  ids(dependencies: Pick<EnrolledTableDependencies, "paymentsTable">, app: App): Promise<readonly string[]>
  /** Returns false when there is one with this id. */
  create(dependencies: EnrolledTableDependencies, app: App, record: EnrolledRecord<Details>): Promise<boolean>
  /**
   * Writes a record over the revision that it was made from.
   *
   * @returns the stored record; null when that revision was changed first
   */
  replace(
    dependencies: EnrolledTableDependencies,
    app: App,
    record: EnrolledRecord<Details>,
  ): Promise<EnrolledRecord<Details> | null>
  /** Returns false when this revision was changed first. */
  remove(
    dependencies: Pick<EnrolledTableDependencies, "paymentsTable">,
    record: Pick<EnrolledRecord<Details>, "id" | "appId" | "revision">,
  ): Promise<boolean>
}

const keyOf = (type: EnrolledType, appId: string, id: string): RecordKey => ({
  pk: appPartition(appId),
  sk: `${type}#${id}`,
})

export interface EnrolledTableOptions<Details> {
  /** Returns until when a record is stored, in epoch milliseconds. Default: until it is removed. */
  readonly keptUntil?: (record: EnrolledRecord<Details>) => number
}

export function createEnrolledTable<Details>(
  type: EnrolledType,
  details: z.ZodType<Details>,
  { keptUntil }: EnrolledTableOptions<Details> = {},
): EnrolledTable<Details> {
  const contentSchema = z.lazy(() =>
    z.object({
      details,
      enrolments: z.array(enrolmentSchema),
      rounds: z.number(),
      untold: z
        .object({ eventId: z.string(), type: eventTypeSchema.optional(), data: z.string() })
        .nullable(),
    }),
  )
  const placeOf = (app: App, id: string): SealedPlace => ({
    app,
    purpose: "payment-record",
    place: `${type}\0${id}`,
  })

  async function open(
    { keyring }: EnrolledTableDependencies,
    app: App,
    item: Item,
  ): Promise<EnrolledRecord<Details>> {
    const outer = itemSchema.safeParse(item)
    if (!outer.success) throw new UnreadableRecordError({ cause: outer.error })
    const { id, appId, createdAt, updatedAt, deletedAt, revision, ...sealed } = outer.data
    const bytes = await openForApp(keyring, placeOf(app, id), sealed)
    const content = bytes === null ? null : contentSchema.safeParse(JSON.parse(bytes.toString()))
    if (!content?.success) throw new UnreadableRecordError({ cause: content?.error })
    return { id, appId, ...content.data, createdAt, updatedAt, deletedAt, revision }
  }

  /** Returns null and logs it when a record is unreadable, so that it does not hide all others. */
  async function openOrLog(
    dependencies: EnrolledTableDependencies & { readonly log: Pick<Log, "warn"> },
    app: App,
    item: Item,
  ): Promise<EnrolledRecord<Details> | null> {
    try {
      return await open(dependencies, app, item)
    } catch (error) {
      if (!(error instanceof UnreadableRecordError)) throw error
      dependencies.log.warn(`a ${type} cannot be read`, { requestId: String(item.sk), error })
      return null
    }
  }

  async function openSome(
    dependencies: EnrolledTableDependencies & { readonly log: Pick<Log, "warn"> },
    app: App,
    items: readonly Item[],
  ): Promise<readonly EnrolledRecord<Details>[]> {
    const opened = await Promise.all(items.map((item) => openOrLog(dependencies, app, item)))
    // Opening a thousand in a row would block all other requests.
    await setImmediate()
    return opened.filter((record) => record !== null)
  }

  async function seal(
    { keyring }: EnrolledTableDependencies,
    app: App,
    record: EnrolledRecord<Details>,
  ): Promise<Item> {
    const { id, appId, createdAt, updatedAt, deletedAt, revision, ...content } = record
    const sealed = await sealForApp(keyring, placeOf(app, id), Buffer.from(JSON.stringify(content)))
    const item = { id, appId, createdAt, updatedAt, deletedAt, revision, dueAt: dueAtOf(record), ...sealed }
    return keptUntil === undefined ? item : { ...item, expiresAt: Math.ceil(keptUntil(record) / 1000) }
  }

  return {
    async find(dependencies, app, id) {
      const item = await dependencies.paymentsTable.get(keyOf(type, app.id, id))
      return item && open(dependencies, app, item)
    },
    async list(dependencies, app) {
      const items = await dependencies.paymentsTable.list(appPartition(app.id), `${type}#`)
      const records: EnrolledRecord<Details>[] = []
      for (let from = 0; from < items.length; from += OPENED_AT_ONCE) {
        records.push(...(await openSome(dependencies, app, items.slice(from, from + OPENED_AT_ONCE))))
      }
      return records
    },
    async *newestFirst(dependencies, app, startingAfter) {
      const after = startingAfter && `${type}#${startingAfter}`
      const request = { limit: OPENED_AT_ONCE, after }
      for await (const items of pagesOf(
        dependencies.paymentsTable,
        appPartition(app.id),
        `${type}#`,
        request,
      )) {
        yield* await openSome(dependencies, app, items)
      }
    },
    async ids({ paymentsTable }, app) {
      const items = await paymentsTable.list(appPartition(app.id), `${type}#`)
      return items
        .filter(({ deletedAt }) => deletedAt === null || deletedAt === undefined)
        .map(({ sk }) => String(sk).slice(type.length + 1))
    },
    async create(dependencies, app, record) {
      const item = await seal(dependencies, app, record)
      return dependencies.paymentsTable.create(keyOf(type, app.id, record.id), item)
    },
    async replace(dependencies, app, record) {
      const item = await seal(dependencies, app, record)
      const key = keyOf(type, app.id, record.id)
      const isReplaced = await dependencies.paymentsTable.replace(key, item, record.revision)
      return isReplaced ? { ...record, revision: record.revision + 1 } : null
    },
    remove: ({ paymentsTable }, { id, appId, revision }) =>
      paymentsTable.remove(keyOf(type, appId, id), revision),
  }
}

/** Returns when a record has something to do, without its keys; null when there is none with this id. */
export async function findDueAt(
  paymentsTable: Table,
  { type, appId, id }: { readonly type: EnrolledType; readonly appId: string; readonly id: string },
): Promise<{ readonly dueAt: number | null } | null> {
  const item = await paymentsTable.get(keyOf(type, appId, id))
  return item && { dueAt: itemSchema.parse(item).dueAt }
}
