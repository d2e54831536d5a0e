import { type RecordOf, recordsOf, type Table } from "@sealway/ports"
import * as z from "zod"

/** The format of an alert: the event, or `{text}` as incoming webhooks of chat tools expect it. */
export const ALERT_TYPES = ["webhook", "chat"] as const

const honeyTokenSchema = z.object({
  /** `honey_token_…` */
  id: z.string(),
  name: z.string(),
  type: z.enum(["string", "number", "boolean"]),
  /** Slug of the data role; null for none. */
  role: z.string().nullable(),
  token: z.string(),
  /** The IV of the token, in base64. */
  mark: z.string(),
  /** Where touches are posted, besides the event; null for nowhere. Deliveries read `url` here. */
  alertType: z.enum(ALERT_TYPES).nullable(),
  url: z.string().nullable(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  revision: z.number(),
})

export type HoneyToken = RecordOf<typeof honeyTokenSchema>

const PREFIX = "honey-token#"

export const honeyTokenRecords = recordsOf<HoneyToken, "id">({
  prefix: PREFIX,
  schema: honeyTokenSchema,
  nameOf: ({ id }) => id,
})

/** Returns the sort key of a honey token among its app's records. */
export function honeyTokenKey({ id }: Pick<HoneyToken, "id">): string {
  return PREFIX + id
}

const markSchema = z.object({ mark: z.string(), id: z.string(), revision: z.number() })

/**
 * Finds honey tokens by their mark. One is written before its honey token, so that every touch finds it, and is never
 * removed, so that no mark is used again.
 */
const markRecords = recordsOf<RecordOf<typeof markSchema>, "mark">({
  prefix: "honey-mark#",
  schema: markSchema,
  nameOf: ({ mark }) => mark,
})

/** @returns false when the mark is another honey token's, which may have been deleted */
export function createMark(
  table: Table,
  appId: string,
  { mark, id }: Pick<HoneyToken, "mark" | "id">,
): Promise<boolean> {
  return markRecords.create(table, appId, { mark, id, revision: 1 })
}

/** Returns null when there is none, or it was deleted. */
export async function findByMark(
  table: Pick<Table, "get">,
  appId: string,
  mark: string,
): Promise<HoneyToken | null> {
  const found = await markRecords.find(table, appId, { mark })
  return found && honeyTokenRecords.find(table, appId, found)
}
