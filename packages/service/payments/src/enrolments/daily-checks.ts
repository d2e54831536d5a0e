import { createHash } from "node:crypto"
import type { Item, Page, RecordKey, Table } from "@sealway/ports"
import * as z from "zod"
import type { EnrolledType } from "./enrolled-table.ts"
import { type EnrolmentWork, enrolmentWorkSchema } from "./pending-enrolments.ts"

const DAY_MS = 24 * 60 * 60_000
const SLOT_MS = 15 * 60_000
const SLOTS = DAY_MS / SLOT_MS
const PAGE = 100

const itemSchema = z.object({ work: enrolmentWorkSchema })
const sweptSchema = z.object({ sweptTo: z.number() })

const SWEPT: RecordKey = { pk: "payments-daily", sk: "swept" }

/**
 * Whether records of a type are listed for daily checks while nothing is due for 15 minutes, instead of as unsettled:
 * those of which there are many. There is a watch for each declined payment, for a month.
 */
export function isCheckedDaily(type: EnrolledType): boolean {
  return type === "card" || type === "retry-watch"
}

/** Each record has its quarter of an hour of the day (UTC), so that the load is spread evenly. */
function slotOf(id: string): number {
  return createHash("sha256").update(id).digest().readUInt32BE() % SLOTS
}

const partitionOf = (slot: number) => `payments-daily#${slot}`

/** Returns how long until a record is checked next: up to a day. @param nowMs epoch milliseconds */
export function untilDailyCheck(id: string, nowMs: number): number {
  const waitMs = (slotOf(id) * SLOT_MS - nowMs) % DAY_MS
  return waitMs > 0 ? waitMs : waitMs + DAY_MS
}

/** Lists a record for daily checks, until the entry is removed. */
export function nameDailyCheck(table: Table, work: EnrolmentWork): Promise<void> {
  return table.put({ pk: partitionOf(slotOf(work.id)), sk: work.id }, { id: work.id, work, revision: 1 })
}

export async function removeDailyCheck(table: Table, { id }: EnrolmentWork): Promise<void> {
  await table.remove({ pk: partitionOf(slotOf(id)), sk: id }, 1)
}

/** @throws ZodError when the item was not written by `nameDailyCheck` */
export const readDailyCheck = (item: Item): EnrolmentWork => itemSchema.parse(item).work

/**
 * Yields the entries for the quarters of an hour that have started since the last sweep; for a whole day if that was
 * longer ago, or all are wanted. Parse them one by one, because any may be unreadable.
 */
export async function* dueDailyChecks(
  table: Table,
  { nowMs, isAll }: { readonly nowMs: number; readonly isAll: boolean },
): AsyncGenerator<Item> {
  const swept = await table.get(SWEPT)
  const dayAgo = nowMs - DAY_MS
  const since = isAll || swept === null ? dayAgo : Math.max(sweptSchema.parse(swept).sweptTo, dayAgo)
  for (let quarter = Math.floor(since / SLOT_MS) + 1; quarter * SLOT_MS <= nowMs; quarter++) {
    let after: string | undefined
    do {
      const page: Page = await table.page(partitionOf(quarter % SLOTS), "", { limit: PAGE, after })
      yield* page.items
      after = page.hasMore ? String(page.items.at(-1)?.sk) : undefined
    } while (after !== undefined)
  }
  await table.put(SWEPT, { sweptTo: nowMs, revision: 1 })
}
