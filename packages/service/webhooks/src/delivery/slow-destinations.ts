import { createHash } from "node:crypto"
import { createBoundedMap } from "@sealway/kernel"
import { appPartition, type RecordKey } from "@sealway/ports"
import type { WorkerDependencies } from "../dependencies.ts"

/** How long a destination counts as slow after its last slow answer. */
const SLOW_FOR_MS = 300_000
/** How long a process trusts what it read or wrote. */
const KNOWN_FOR_MS = 10_000
const MAX_KNOWN = 10_000

/** The destinations that were slow recently, shared by all workers of a deployment. */
export interface SlowDestinations {
  has(appId: string, url: string): Promise<boolean>
  add(appId: string, url: string): Promise<void>
  remove(appId: string, url: string): Promise<void>
}

/** The record only marks a slow destination, and expires. */
const keyOf = (appId: string, url: string): RecordKey => ({
  pk: appPartition(appId),
  sk: `webhook-slow#${createHash("sha256").update(url).digest("base64url")}`,
})

export function createSlowDestinations({
  eventsTable,
  now,
  wallClock,
}: Pick<WorkerDependencies, "eventsTable" | "now" | "wallClock">): SlowDestinations {
  const known = createBoundedMap<{ readonly isSlow: boolean; readonly until: number }>(MAX_KNOWN)
  const knownOf = (appId: string, url: string) => {
    const found = known.get(`${appId} ${url}`)
    return found !== undefined && found.until > now() ? found.isSlow : null
  }
  const learn = (appId: string, url: string, isSlow: boolean) =>
    known.set(`${appId} ${url}`, { isSlow, until: now() + KNOWN_FOR_MS })

  return {
    async has(appId, url) {
      const isKnown = knownOf(appId, url)
      if (isKnown !== null) return isKnown
      const isSlow = (await eventsTable.get(keyOf(appId, url))) !== null
      learn(appId, url, isSlow)
      return isSlow
    },
    async add(appId, url) {
      if (knownOf(appId, url) === true) return
      const expiresAt = Math.ceil((wallClock() + SLOW_FOR_MS) / 1000)
      await eventsTable.put(keyOf(appId, url), { revision: 1, expiresAt })
      learn(appId, url, true)
    },
    async remove(appId, url) {
      if (knownOf(appId, url) === false) return
      await eventsTable.remove(keyOf(appId, url), 1)
      learn(appId, url, false)
    },
  }
}
