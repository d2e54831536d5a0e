import { setTimeout as delay } from "node:timers/promises"
import * as z from "zod"
import { type Finding, Tally } from "./findings.ts"
import { SLOW } from "./kinds.ts"
import type { Ledger } from "./ledger.ts"
import { readAll } from "./read-all.ts"
import type { Receivers } from "./receivers.ts"
import type { Reachable } from "./tortured-service.ts"

const MERCHANTS = "/payments/merchants"
const PATIENCE_MS = 180_000

const merchantSchema = z.object({
  id: z.string(),
  networkTokens: z.object({ enrolment: z.array(z.object({ status: z.string() })) }),
})
const toldSchema = z.object({ id: z.string(), updatedAt: z.number() })

async function merchantsOf(service: Reachable, { app }: Ledger) {
  const listed = await readAll(service, app.auth, MERCHANTS, "numbered")
  return listed.map((each) => {
    const { id, networkTokens } = merchantSchema.parse(each)
    return { id, isPending: networkTokens.enrolment.some(({ status }) => status === "pending") }
  })
}

/**
 * Waits until the networks have decided about each merchant. `checkEnrolments` finds those that they never decide
 * about.
 */
export async function awaitEnrolments(service: Reachable, ledgers: readonly Ledger[]): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  for (const ledger of ledgers) {
    while (performance.now() < until) {
      if ((await merchantsOf(service, ledger)).every(({ isPending }) => !isPending)) break
      await delay(500)
    }
  }
}

/** Checks that each merchant's enrolment came to its end, and each change that the networks made caused one event. */
export async function checkEnrolments(
  service: Reachable,
  receivers: Pick<Receivers, "taken">,
  ledgers: readonly Ledger[],
): Promise<Finding> {
  const tally = new Tally()
  for (const ledger of ledgers) {
    const told = [...receivers.taken(ledger.receivers.quick).values()]
      .filter(({ type }) => type === "payments.merchant.updated")
      .map(({ data }) => toldSchema.parse(data))
    const byMerchant = Map.groupBy(told, ({ id }) => id)
    for (const { id, isPending } of await merchantsOf(service, ledger)) {
      tally.acknowledged++
      if (isPending) tally.count("wrong", `${id} is still pending`)
      else if (wasSlow(ledger, id) && !byMerchant.has(id)) tally.count("lost", `no event tells of ${id}`)
    }
    for (const [id, events] of byMerchant) {
      const times = events.map(({ updatedAt }) => updatedAt)
      if (new Set(times).size < times.length) tally.count("doubled", `events of ${id}`)
    }
  }
  return tally.finding("enrolment of a merchant")
}

/** Returns whether its networks decided after it was created, and not during a change, whose answer reports it. */
function wasSlow({ records, audited }: Ledger, id: string): boolean {
  const record = records.find((each) => each.id === id)
  if (record === undefined || record.isOpen) return false
  const isChanged = audited.some(({ action, target }) => target === id && action !== "create")
  return !isChanged && String(record.request.body.name).endsWith(SLOW)
}
