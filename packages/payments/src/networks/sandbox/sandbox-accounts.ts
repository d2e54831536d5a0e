import { type App, appPartition, type Keyring, type RecordKey, type Table } from "@sealway/platform"
import * as z from "zod"
import { numberKeyOf } from "../../number-key.ts"
import { type ParAnswer, parAnswerSchema } from "../messages/par.ts"

const itemSchema = z.lazy(() => z.object(parAnswerSchema.shape))

/** The references of numbers that belong to another number's account: network tokens, and replacements of cards. */
export interface SandboxAccounts {
  /** Returns null for a number with a reference of its own. */
  find(number: string): Promise<ParAnswer | null>
  assign(number: string, account: ParAnswer): Promise<void>
}

export interface SandboxAccountDependencies {
  readonly paymentsTable: Pick<Table, "get" | "put">
  readonly keyring: Pick<Keyring, "open">
}

/** Keeps the references of an app's numbers. The table shows no number. */
export function createSandboxAccounts(
  { paymentsTable, keyring }: SandboxAccountDependencies,
  app: App,
): SandboxAccounts {
  const keyOf = async (number: string): Promise<RecordKey> => ({
    pk: appPartition(app.id),
    sk: `sandbox-account#${await numberKeyOf({ keyring }, app, number, "sandbox-account")}`,
  })
  return {
    async find(number) {
      const item = await paymentsTable.get(await keyOf(number))
      return item && itemSchema.parse(item)
    },
    assign: async (number, { paymentAccountReference }) =>
      paymentsTable.put(await keyOf(number), { paymentAccountReference, revision: 1 }),
  }
}
