import { pagesOf, type RecordKey, type Table } from "@sealway/ports"
import * as z from "zod"
import { enclavePcrsSchema, SOURCES } from "../rules/conditions.ts"
import { OUTCOMES } from "../rules/reveal.ts"
import type { DecisionRecord } from "./decision-record.ts"

/** Decisions that one process recorded in one stretch of time, or some of them. */
export interface DecisionSegment {
  readonly appId: string
  /** Unique among all segments. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly stretchStartMs: number
  readonly records: readonly DecisionRecord[]
  /** How many decisions were dropped. */
  readonly dropped: number
}

/** A stretch of time whose records are written as one item, again and again while it lasts. */
export const STRETCH_MS = 10 * 60_000

const KEPT_SECONDS = 7 * 24 * 60 * 60
const PREFIX = "decision#"
const MS_DIGITS = 15
const ITEMS_PER_READ = 25

const recordSchema = z.lazy(() =>
  z.object({
    role: z.string(),
    context: z.object({
      source: z.enum(SOURCES),
      ip: z.string().nullable(),
      apiKeyId: z.string().nullable(),
      functionName: z.string().optional(),
      relayDestination: z.string().optional(),
      hasReason: z.boolean().optional(),
      enclavePcrs: enclavePcrsSchema.optional(),
    }),
    minuteMs: z.number(),
    decision: z.enum(OUTCOMES),
    count: z.number(),
  }),
)
const itemSchema = z.lazy(() =>
  z.object({ stretchStartMs: z.number(), records: z.string(), dropped: z.number() }),
)
const recordsSchema = z.array(recordSchema)

const partition = (appId: string) => `app#${appId}#decisions`

const keyOf = ({ appId, stretchStartMs, id }: DecisionSegment): RecordKey => ({
  pk: partition(appId),
  sk: `${PREFIX}${String(stretchStartMs).padStart(MS_DIGITS, "0")}#${id}`,
})

/** Writes a segment over its earlier version. */
export async function putDecisionSegment(table: Pick<Table, "put">, segment: DecisionSegment): Promise<void> {
  const { stretchStartMs, records, dropped } = segment
  await table.put(keyOf(segment), {
    stretchStartMs,
    records: JSON.stringify(records),
    dropped,
    expiresAt: Math.floor(stretchStartMs / 1000) + KEPT_SECONDS,
  })
}

export interface RecordedDecisions {
  readonly records: readonly DecisionRecord[]
  /** True when there are more, or when some were dropped when recording. */
  readonly truncated: boolean
}

/** Reads decisions since an instant, newest first. @param sinceMs epoch milliseconds */
export async function readDecisions(
  table: Pick<Table, "page">,
  appId: string,
  sinceMs: number,
  maxRecords: number,
): Promise<RecordedDecisions> {
  const records: DecisionRecord[] = []
  let truncated = false
  for await (const items of pagesOf(table, partition(appId), PREFIX, { limit: ITEMS_PER_READ })) {
    for (const item of items) {
      const { stretchStartMs, records: text, dropped } = itemSchema.parse(item)
      if (stretchStartMs + STRETCH_MS <= sinceMs) return { records, truncated }
      const found = recordsSchema.parse(JSON.parse(text)).filter(({ minuteMs }) => minuteMs >= sinceMs)
      if (records.length + found.length > maxRecords) return { records, truncated: true }
      records.push(...found)
      truncated ||= dropped > 0
    }
  }
  return { records, truncated }
}
