import { setTimeout as delay } from "node:timers/promises"
import { type Finding, Tally } from "./findings.ts"
import type { Ledger } from "./ledger.ts"
import { read } from "./read-all.ts"
import type { Receivers } from "./receivers.ts"
import type { Reachable } from "./tortured-service.ts"

const PATIENCE_MS = 180_000

/** Waits until the runs have ended. `checkRuns` finds those that never do. */
export async function awaitRuns(service: Reachable, ledgers: readonly Ledger[]): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  for (const { app, runs } of ledgers) {
    for (const { path } of runs) {
      while (performance.now() < until) {
        const { status } = await read(service, { method: "GET", path, auth: app.auth })
        if (status === "success" || status === "failure") break
        await delay(200)
      }
    }
  }
}

/** Checks that each run ended, with its own result, and caused one event. */
export async function checkRuns(
  service: Reachable,
  receivers: Receivers,
  ledgers: readonly Ledger[],
): Promise<Finding> {
  const tally = new Tally()
  for (const { app, runs, receivers: own } of ledgers) {
    const told = new Map<string, number>()
    for (const { type, data } of receivers.taken(own.quick).values()) {
      if (type !== "function.run.completed") continue
      told.set(String(data.run), (told.get(String(data.run)) ?? 0) + 1)
    }
    for (const { path, payload } of runs) {
      tally.acknowledged++
      const run = await read(service, { method: "GET", path, auth: app.auth })
      const id = path.split("/").at(-1) ?? ""
      const times = told.get(id) ?? 0
      if (times === 0) tally.count("lost", `${path} of ${app.id}: ${run.status}, and nobody was told`)
      else if (times > 1) tally.count("doubled", `${path} of ${app.id} was told as ${times} events`)
      else if (run.status !== "success" || JSON.stringify(run.result) !== JSON.stringify(payload)) {
        tally.count("wrong", `${path} of ${app.id}: ${JSON.stringify(run)}`)
      }
    }
  }
  return tally.finding("async run")
}
