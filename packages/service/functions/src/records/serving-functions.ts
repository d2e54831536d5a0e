import { CONFIGURATION_TTL_MS } from "@sealway/accounts"
import { createCache } from "@sealway/kernel"
import type { Table } from "@sealway/ports"
import { type Deployment, FUNCTION_NAME, type FunctionRecord, findFunction } from "./function-table.ts"

const MAX_FUNCTIONS = 10_000

/** A function with a deployment that serves. */
export interface ServingFunction extends FunctionRecord {
  readonly active: Deployment
}

/** Looks up the functions to call, each at most `CONFIGURATION_TTL_MS` old. */
export interface ServingFunctions {
  /** Returns null when the app has no function with this name. A function that does not serve yet is read each time. */
  find(appId: string, name: string): Promise<FunctionRecord | null>
  /** Drops a function from this process's cache. */
  forget(appId: string, name: string): void
}

export function createServingFunctions({
  configTable,
  now,
}: {
  readonly configTable: Table
  readonly now: () => number
}): ServingFunctions {
  const cache = createCache<FunctionRecord>({ maxEntries: MAX_FUNCTIONS, ttlMs: CONFIGURATION_TTL_MS, now })
  const keyOf = (appId: string, name: string) => `${appId}/${name}`
  return {
    async find(appId, name) {
      if (!FUNCTION_NAME.test(name)) return null
      const key = keyOf(appId, name)
      const found = await cache.get(key, async () => {
        const record = await findFunction(configTable, appId, name)
        return record?.status === "deleting" ? null : record
      })
      if (found === null || found.active === null) cache.forget(key)
      return found
    },
    forget: (appId, name) => cache.forget(keyOf(appId, name)),
  }
}

export function isServing(record: FunctionRecord): record is ServingFunction {
  return record.active !== null
}
