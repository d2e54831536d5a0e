import { setTimeout as delay } from "node:timers/promises"
import { send } from "./caller.ts"
import { type Finding, Tally } from "./findings.ts"
import type { Ledger } from "./ledger.ts"
import type { Reachable } from "./tortured-service.ts"
import { openedAs } from "./work-subjects.ts"

const TRIES = 20

/**
 * Checks that the values of each data subject open, unless it was erased: then they never do. Where the answer to an
 * erasure, or to its undoing, is missing, all of them must open or none.
 */
export async function checkSubjects(service: Reachable, ledgers: readonly Ledger[]): Promise<Finding> {
  const tally = new Tally()
  for (const { app, subjects } of ledgers) {
    for (const { person, id, state, sealed } of subjects) {
      tally.acknowledged++
      const found = new Set<string>()
      for (const each of sealed) found.add(await open(service, app.auth, each))
      const [only = "open"] = found
      const who = `${id ?? person} of ${app.id}`
      if (found.has("lost")) tally.count("lost", who)
      else if (found.size > 1) tally.count("wrong", `${who} is open and erased`)
      else if (state !== "unknown" && only !== state) tally.count("wrong", `${who} is ${only}, not ${state}`)
    }
  }
  return tally.finding("data subject")
}

async function open(
  service: Reachable,
  auth: Ledger["app"]["auth"],
  { tokens, values }: Ledger["sealed"][number],
): Promise<"open" | "erased" | "lost"> {
  for (let tries = 0; tries < TRIES; tries++) {
    const outcome = await send(service, { method: "POST", path: "/decrypt", auth, body: { values: tokens } })
    const found = openedAs(outcome, values)
    if (found !== null) return found
    await delay(250)
  }
  throw new Error("A decryption is not answered.")
}
