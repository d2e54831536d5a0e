import { setTimeout as delay } from "node:timers/promises"
import { type Finding, Tally } from "./findings.ts"
import type { Ledger } from "./ledger.ts"
import { readAll } from "./read-all.ts"
import type { Receivers } from "./receivers.ts"
import type { Reachable, TorturedService } from "./tortured-service.ts"

/** More than the longest wait between two attempts, with the random addition. */
const ROUND_MS = 6.5 * 60 * 60_000
/** One more than there are attempts. */
const MAX_ROUNDS = 9
const QUIET_MS = 3_000
const MAX_ROUND_TIME_MS = 120_000

/** Passes through the hours of the retries by moving the clock, until every event has come to its end. */
export async function awaitDeliveries(
  service: TorturedService,
  receivers: Receivers,
  ledgers: readonly Ledger[],
  restart: () => Promise<void>,
): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const until = performance.now() + MAX_ROUND_TIME_MS
    const begun = performance.now()
    do {
      if ((await pendingEvents(service, ledgers)) === 0) return
      await delay(500)
    } while (performance.now() < until && performance.now() - Math.max(begun, receivers.lastAt()) < QUIET_MS)
    await service.shiftClock(ROUND_MS)
    await restart()
  }
}

async function pendingEvents(service: Reachable, ledgers: readonly Ledger[]): Promise<number> {
  let pending = 0
  for (const { app } of ledgers)
    pending += (await readAll(service, app.auth, "/webhook-events?status=pending")).length
  return pending
}

/** Checks that each event came to every receiver of its type, or is listed as failed. */
export async function checkWebhooks(
  service: Reachable,
  receivers: Receivers,
  ledgers: readonly Ledger[],
): Promise<readonly Finding[]> {
  const events = new Tally()
  const tests = new Tally()
  for (const { app, receivers: own, setupEvents, tests: sent } of ledgers) {
    const listed = await readAll(service, app.auth, "/webhook-events")
    // Test events are listed for two days only, which the retries of others may take.
    const ids = new Set([...listed, ...sent].map(({ id }) => String(id)))
    for (const { id, type, status } of listed) {
      if (setupEvents.has(String(id))) continue
      events.acknowledged++
      const takers =
        type === "webhook.test" ? [] : own.others.filter(({ events }) => events === "*" || events === type)
      const broken = takers.some(({ path }) => path.startsWith("/broken"))
      const missed = [own.quick, ...takers.map(({ path }) => path)].filter(
        (path) => !path.startsWith("/broken") && !receivers.taken(path).has(String(id)),
      )
      if (missed.length > 0) events.count("lost", `${id} (${status}) never came to ${missed.join(", ")}`)
      else if (status !== (broken ? "failed" : "delivered")) events.count("wrong", `${id} is ${status}`)
    }
    for (const path of [own.quick, ...own.others.map(({ path }) => path)]) {
      for (const id of receivers.taken(path).keys()) {
        if (!ids.has(id)) events.count("wrong", `${id} came to ${path} and is not listed`)
      }
    }
    for (const { id } of sent) {
      tests.acknowledged++
      if (!receivers.taken(own.quick).has(id)) tests.count("lost", id)
    }
  }
  for (let wrong = 0; wrong < receivers.wrongIds(); wrong++)
    events.count("wrong", "a webhook-id that is not the event's")
  return [events.finding("webhook event"), tests.finding("test event")]
}
