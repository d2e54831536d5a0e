import type { Credentials } from "./caller.ts"
import { type Finding, Tally } from "./findings.ts"
import type { Ledger, SealedValues } from "./ledger.ts"
import { read } from "./read-all.ts"
import type { Reachable } from "./tortured-service.ts"

const BATCH = 100

/** Checks that every token opens to what was sealed. */
export async function checkTokens(
  service: Reachable,
  ledgers: readonly Ledger[],
): Promise<readonly Finding[]> {
  const check = async (what: string, valuesOf: (ledger: Ledger) => readonly SealedValues[]) => {
    const tally = new Tally()
    for (const ledger of ledgers) await openAll(service, ledger.app.auth, valuesOf(ledger), tally)
    return tally.finding(what)
  }
  return [
    await check("token", ({ sealed }) => sealed),
    await check("token from a relay", ({ relayed }) => relayed),
  ]
}

async function openAll(
  service: Reachable,
  auth: Credentials,
  sealed: readonly SealedValues[],
  tally: Tally,
): Promise<void> {
  const pairs = sealed.flatMap(({ tokens, values }) =>
    values.map((value, index) => ({ value, token: tokens[index] })),
  )
  for (let from = 0; from < pairs.length; from += BATCH) {
    const batch = pairs.slice(from, from + BATCH)
    const opened = await openBatch(
      service,
      auth,
      batch.map(({ token }) => token),
    )
    for (const [index, { value, token }] of batch.entries()) {
      tally.acknowledged++
      const isToken = typeof token === "string" && token.startsWith("ev:")
      if (!isToken || opened[index] !== value) tally.count("lost", String(token).slice(0, 60))
    }
  }
}

/** Opens them one by one when one that does not open fails the whole batch. */
async function openBatch(
  service: Reachable,
  auth: Credentials,
  tokens: readonly unknown[],
): Promise<readonly unknown[]> {
  try {
    const { values } = await read(service, {
      method: "POST",
      path: "/decrypt",
      auth,
      body: { values: tokens },
    })
    return Array.isArray(values) ? values : []
  } catch (error) {
    if (tokens.length === 1) return []
    if (!(error instanceof Error)) throw error
    const opened: unknown[] = []
    for (const token of tokens) opened.push((await openBatch(service, auth, [token]))[0])
    return opened
  }
}
