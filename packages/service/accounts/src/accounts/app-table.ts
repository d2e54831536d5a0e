import {
  pageRecords,
  pagesOf,
  type RecordKey,
  type RecordOf,
  type RecordPage,
  type RecordPageRequest,
  recordsOf,
  type Table,
  teamPartition,
} from "@sealway/ports"
import * as z from "zod"
import { chosenLimitsSchema } from "../limits/rate-limits.ts"

const appSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  name: z.string(),
  /**
   * Whether the app is for tests or for real data. Values sealed in one app never open in another, so the two never
   * mix.
   */
  environment: z.enum(["sandbox", "production"]),
  /** The credentials of a disabled app are refused. */
  status: z.enum(["enabled", "disabled"]),
  /** Origins whose pages may embed or call what the app serves to browsers, as in the `Origin` header. */
  allowedOrigins: z.array(z.string()),
  /** Whether a production app may use card insights. A sandbox app always may. */
  cardInsights: z.boolean(),
  /**
   * How the service seals the app's values: to its public key, or with the value key of its newest key version. Both kinds
   * open.
   */
  sealing: z.enum(["public-key", "symmetric"]),
  /**
   * Where the private keys of its new key versions are: encrypted by KMS in the table, or only in KMS, which computes each
   * shared secret.
   */
  custody: z.enum(["envelope", "hsm"]),
  /**
   * For how many days the erasure of a data subject can be undone: 0 to 30. Null is the default of its environment, see
   * `erasureDaysOf`.
   */
  erasureDays: z.number().nullable(),
  /** How much its keys and tokens together may do in a time. */
  limits: chosenLimitsSchema,
  /** Epoch milliseconds. */
  createdAt: z.number(),
  revision: z.number(),
})

export type App = RecordOf<typeof appSchema>
export type Environment = App["environment"]
export type Custody = App["custody"]

const PRODUCTION_ERASURE_DAYS = 7

/** Returns for how many days the erasure of a data subject can be undone. */
export function erasureDaysOf({ erasureDays, environment }: App): number {
  return erasureDays ?? (environment === "sandbox" ? 0 : PRODUCTION_ERASURE_DAYS)
}

const LISTED = "app#"
const IDS_AT_ONCE = 100

const appRecords = recordsOf<App, never>({ prefix: "app", schema: appSchema, nameOf: () => "" })

const listedKeyOf = (teamId: string, id: string): RecordKey => ({
  pk: teamPartition(teamId),
  sk: LISTED + id,
})

/** Finds an app by its id. */
export function findApp(table: Table, id: string): Promise<App | null> {
  return appRecords.find(table, id, {})
}

/** Returns false when an app with that id exists. */
export async function createApp(table: Table, app: App): Promise<boolean> {
  // Listed first: readers skip an entry whose app was never created, but an app that was never listed would be lost.
  await table.put(listedKeyOf(app.teamId, app.id), { id: app.id })
  return appRecords.create(table, app.id, app)
}

/** Returns the app as it is now stored; null when another call changed it first. */
export function replaceApp(table: Table, app: App): Promise<App | null> {
  return appRecords.replace(table, app.id, app)
}

/** Yields the ids of all apps of a team, newest first. An app whose creation was interrupted may be among them. */
export async function* listAppIds(table: Pick<Table, "page">, teamId: string): AsyncGenerator<string> {
  for await (const page of pagesOf(table, teamPartition(teamId), LISTED, { limit: IDS_AT_ONCE })) {
    for (const { id } of page) yield String(id)
  }
}

/** Lists the apps of a team, newest first. */
export function pageApps(table: Table, teamId: string, request: RecordPageRequest): Promise<RecordPage<App>> {
  return pageRecords(table, teamPartition(teamId), LISTED, request, ({ id }) => findApp(table, String(id)))
}
