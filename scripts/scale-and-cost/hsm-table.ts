import { dollars, figure, markdownTable } from "./markdown-table.ts"
import { PRICES } from "./prices.ts"
import { QUOTAS } from "./quotas.ts"

const MILLION = 1_000_000

/** How many values share an ephemeral key. */
const VALUES_PER_KEY = [
  { name: "clients, each value by itself", values: 1 },
  { name: "clients, 10 values at a time", values: 10 },
  { name: "the service, or `/rewrap`, 100 values at a time", values: 100 },
] as const

/** Renders what it takes to decrypt a million values of an app with one key version in an HSM, none of them known yet. */
export function hsmCostTable(): string {
  const rows = VALUES_PER_KEY.map(({ name, values }) => {
    const agreements = MILLION / values
    const price = (agreements / MILLION) * PRICES.kmsPerMillionAgreements
    const seconds = agreements / QUOTAS.kmsAgreementsPerSecond
    return [name, figure(agreements), dollars(price), figure(seconds)]
  })
  return markdownTable(["encrypted by", "agreements", "$", "seconds of the whole quota"], rows)
}
