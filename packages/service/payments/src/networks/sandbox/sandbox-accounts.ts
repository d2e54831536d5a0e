import { type App, CONFIGURATION_TTL_MS } from "@sealway/accounts"
import { createCache } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import { appPartition, type RecordKey, type Table } from "@sealway/ports"
import * as z from "zod"
import { numberKeyOf } from "../../number-key.ts"
import { type ParAnswer, parAnswerSchema } from "../messages/par.ts"

const itemSchema = z.lazy(() => z.object(parAnswerSchema.shape))
const MAX_NUMBERS = 1_000

/** The references of numbers that belong to another number's account: network tokens, and replacements of cards. */
export interface SandboxAccounts {
  /** Returns null for a number with a reference of its own. The answer may be a few seconds old. */
  find(app: App, number: string): Promise<ParAnswer | null>
  assign(app: App, number: string, account: ParAnswer): Promise<void>
}

export interface SandboxAccountDependencies {
  readonly paymentsTable: Pick<Table, "get" | "put">
  readonly keyring: Pick<Keyring, "open">
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
}

/** Keeps the references of sandbox apps' numbers. The table shows no number. */
export function createSandboxAccounts({
  paymentsTable,
  keyring,
  now,
}: SandboxAccountDependencies): SandboxAccounts {
  const cache = createCache<ParAnswer>({ maxEntries: MAX_NUMBERS, ttlMs: CONFIGURATION_TTL_MS, now })
  const keyOf = async (app: App, number: string): Promise<RecordKey> => ({
    pk: appPartition(app.id),
    sk: `sandbox-account#${await numberKeyOf({ keyring }, app, number, "sandbox-account")}`,
  })
  return {
    async find(app, number) {
      const key = await keyOf(app, number)
      return cache.get(key.pk + key.sk, async () => {
        const item = await paymentsTable.get(key)
        return item && itemSchema.parse(item)
      })
    },
    async assign(app, number, { paymentAccountReference }) {
      const key = await keyOf(app, number)
      await paymentsTable.put(key, { paymentAccountReference, revision: 1 })
      cache.forget(key.pk + key.sk)
    },
  }
}
