import type { App } from "@sealway/accounts"
import { ConflictError } from "@sealway/kernel"
import { appPartition, type Page, type RecordKey, type Table } from "@sealway/ports"
import * as z from "zod"
import type { EnrolledType } from "../enrolments/enrolled-table.ts"
import { ABANDONED_MS } from "../enrolments/pending-enrolments.ts"

const useSchema = z.object({ id: z.string(), type: z.string(), since: z.number() })
const userSchema = z.object({ deletedAt: z.number().nullable() })
const PAGE = 50

const prefixOf = (merchantId: string) => `merchant-use#${merchantId}#`
const keyOf = (appId: string, merchantId: string, id: string): RecordKey => ({
  pk: appPartition(appId),
  sk: prefixOf(merchantId) + id,
})

/** A record that needs its merchant. */
export interface MerchantUse {
  readonly type: EnrolledType
  readonly id: string
  /** Epoch milliseconds. */
  readonly since: number
}

/**
 * Marks a merchant as needed by a record, before the record is created. The caller then checks that the merchant still
 * exists: from that point on it cannot be deleted.
 */
export function holdMerchant(
  table: Table,
  app: App,
  merchantId: string,
  { type, id, since }: MerchantUse,
): Promise<void> {
  return table.put(keyOf(app.id, merchantId, id), { id, type, since, revision: 1 })
}

export async function releaseMerchant(
  table: Table,
  appId: string,
  merchantId: string,
  id: string,
): Promise<void> {
  await table.remove(keyOf(appId, merchantId, id), 1)
}

/**
 * Refuses to continue while a record needs a merchant. A mark for a record that was never created counts as long as it
 * may still be created.
 *
 * @throws ConflictError
 */
export async function refuseUsedMerchant(
  table: Table,
  app: App,
  merchantId: string,
  nowMs: number,
): Promise<void> {
  let after: string | undefined
  do {
    const page: Page = await table.page(appPartition(app.id), prefixOf(merchantId), { limit: PAGE, after })
    for (const item of page.items) {
      const use = useSchema.parse(item)
      const user = await table.get({ pk: appPartition(app.id), sk: `${use.type}#${use.id}` })
      const isLive =
        user === null ? nowMs - use.since <= ABANDONED_MS : userSchema.parse(user).deletedAt === null
      if (isLive) {
        throw new ConflictError(
          "The merchant has network tokens, subscriptions or watches. Delete these first.",
        )
      }
    }
    after = page.hasMore ? String(page.items.at(-1)?.sk) : undefined
  } while (after !== undefined)
}
