import { createCache } from "@sealway/kernel"
import { CONFIGURATION_TTL_MS, type Table } from "@sealway/platform"
import { type Deployment, FUNCTION_NAME, type FunctionRecord, findFunction } from "./function-table.ts"

const MAX_FUNCTIONS = 10_000

/** A function that something serves. */
export interface ServingFunction extends FunctionRecord {
  readonly active: Deployment
}

/** The functions that are called, each at most `CONFIGURATION_TTL_MS` old. */
export interface ServingFunctions {
  /** Null when the app has no function of this name. What does not serve yet is read anew each time. */
  find(appId: string, name: string): Promise<FunctionRecord | null>
  /** Reads a function anew when it is next needed, in this process. */
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
