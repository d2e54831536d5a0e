import { type RecordOf, recordsOf, type Table } from "@sealway/ports"
import * as z from "zod"

const touchSchema = z.object({
  /** `honey_touch_…` */
  id: z.string(),
  honeyToken: z.string(),
  actor: z.object({ type: z.string(), id: z.string() }),
  /** The way it was tried: the details of the refusal that say so, such as `endpoint` or `relay`. */
  way: z.record(z.string(), z.string()),
  /** How often in the hour. */
  count: z.number(),
  /** Epoch milliseconds. */
  firstAt: z.number(),
  lastAt: z.number(),
  /** The latest ones, latest first. */
  ips: z.array(z.string()),
  requestIds: z.array(z.string()),
  /** The numbers of the latest counted records of the audit log, so that none of them is counted twice. */
  seqs: z.array(z.number()),
  /** The number of the record that was counted first. */
  firstSeq: z.number(),
  /** Epoch seconds. */
  expiresAt: z.number(),
  revision: z.number(),
})

/** The attempts of one caller to decrypt one honey token in one way, within one hour. */
export type HoneyTouch = RecordOf<typeof touchSchema>

export const touchRecords = recordsOf<HoneyTouch, "honeyToken" | "id">({
  prefix: "honey-touch#",
  schema: touchSchema,
  nameOf: ({ honeyToken, id }) => withinToken(honeyToken) + id,
})

/** Returns the prefix of the names of a honey token's touches. */
export function withinToken(honeyTokenId: string): string {
  return `${honeyTokenId}#`
}

/** Touches of one hour are not in order. */
const LATEST_TOUCHES = 20

/** Returns when a honey token was touched last, in epoch milliseconds; null when it never was. */
export async function lastTouchedAt(
  table: Table,
  appId: string,
  honeyTokenId: string,
): Promise<number | null> {
  const page = await touchRecords.page(table, appId, { limit: LATEST_TOUCHES }, withinToken(honeyTokenId))
  return page.data.length === 0 ? null : Math.max(...page.data.map(({ lastAt }) => lastAt))
}
