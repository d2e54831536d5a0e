import { setImmediate } from "node:timers/promises"
import {
  type App,
  appPartition,
  type Item,
  type Keyring,
  openForApp,
  type RecordKey,
  type SealedPlace,
  sealForApp,
  type Table,
} from "@sealway/platform"
import * as z from "zod"
import { dueAtOf, type EnrolledRecord } from "./enrolled-record.ts"

/** What of a record can be read where it is kept: nothing that the app has said. */
const itemSchema = z.object({
  id: z.string(),
  appId: z.string(),
  createdAt: z.number(),
  updatedAt: z.number().nullable(),
  deletedAt: z.number().nullable(),
  /** See `dueAtOf`. A sweeper, which has no keys, goes by it. */
  dueAt: z.number().nullable(),
  keyVersion: z.number(),
  sealed: z.instanceof(Uint8Array),
  revision: z.number(),
})

const enrolmentSchema = z.object({
  name: z.string(),
  status: z.enum(["inactive", "pending", "active", "failed", "withdrawing"]),
  round: z.number(),
  requestedAt: z.number(),
  newsAt: z.number(),
  checkAt: z.number().nullable(),
  setbacks: z.number(),
  identifier: z.string().nullable(),
})

/** Records that are opened before others get their turn. */
const OPENED_AT_ONCE = 25

export type EnrolledType = "merchant" | "acquirer"

export interface EnrolledTableDependencies {
  readonly paymentsTable: Table
  readonly keyring: Pick<Keyring, "newest" | "open">
}

/** Records of one type, sealed with their app's keys. */
export interface EnrolledTable<Details> {
  find(dependencies: EnrolledTableDependencies, app: App, id: string): Promise<EnrolledRecord<Details> | null>
  /** All of an app, newest first; deleted ones included. */
  list(dependencies: EnrolledTableDependencies, app: App): Promise<readonly EnrolledRecord<Details>[]>
  /** The ids of an app's records that are not deleted, newest first. Opens nothing. */
  ids(dependencies: Pick<EnrolledTableDependencies, "paymentsTable">, app: App): Promise<readonly string[]>
  /** False: there is one of this id. */
  create(dependencies: EnrolledTableDependencies, app: App, record: EnrolledRecord<Details>): Promise<boolean>
  /**
   * Writes a record over the revision that it was made from.
   *
   * @returns what is stored now; null when that revision was changed meanwhile
   */
  replace(
    dependencies: EnrolledTableDependencies,
    app: App,
    record: EnrolledRecord<Details>,
  ): Promise<EnrolledRecord<Details> | null>
  /** False: this revision was changed meanwhile. */
  remove(
    dependencies: Pick<EnrolledTableDependencies, "paymentsTable">,
    record: Pick<EnrolledRecord<Details>, "id" | "appId" | "revision">,
  ): Promise<boolean>
}

const keyOf = (type: EnrolledType, appId: string, id: string): RecordKey => ({
  pk: appPartition(appId),
  sk: `${type}#${id}`,
})

export function createEnrolledTable<Details>(
  type: EnrolledType,
  details: z.ZodType<Details>,
): EnrolledTable<Details> {
  const contentSchema = z.object({
    details,
    enrolments: z.array(enrolmentSchema),
    rounds: z.number(),
    untold: z.object({ eventId: z.string(), data: z.string() }).nullable(),
  })
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
    const { id, appId, createdAt, updatedAt, deletedAt, revision, ...sealed } = itemSchema.parse(item)
    const bytes = await openForApp(keyring, placeOf(app, id), sealed)
    if (bytes === null) throw new Error("A record of payments does not open")
    const content = contentSchema.parse(JSON.parse(bytes.toString()))
    return { id, appId, ...content, createdAt, updatedAt, deletedAt, revision }
  }

  async function seal(
    { keyring }: EnrolledTableDependencies,
    app: App,
    record: EnrolledRecord<Details>,
  ): Promise<Item> {
    const { id, appId, createdAt, updatedAt, deletedAt, revision, ...content } = record
    const sealed = await sealForApp(keyring, placeOf(app, id), Buffer.from(JSON.stringify(content)))
    return { id, appId, createdAt, updatedAt, deletedAt, revision, dueAt: dueAtOf(record), ...sealed }
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
        // Opening a thousand of them would hold up all other requests.
        if (from > 0) await setImmediate()
        const batch = items.slice(from, from + OPENED_AT_ONCE)
        records.push(...(await Promise.all(batch.map((item) => open(dependencies, app, item)))))
      }
      return records
    },
    async ids({ paymentsTable }, app) {
      const items = await paymentsTable.list(appPartition(app.id), `${type}#`)
      return items
        .map((item) => itemSchema.parse(item))
        .filter(({ deletedAt }) => deletedAt === null)
        .map(({ id }) => id)
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

/** When there is something to do for a record, told without its keys. Null: there is none of this id. */
export async function findDueAt(
  paymentsTable: Table,
  { type, appId, id }: { readonly type: EnrolledType; readonly appId: string; readonly id: string },
): Promise<{ readonly dueAt: number | null } | null> {
  const item = await paymentsTable.get(keyOf(type, appId, id))
  return item && { dueAt: itemSchema.parse(item).dueAt }
}
