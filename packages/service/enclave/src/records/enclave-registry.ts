import { CONFIGURATION_TTL_MS } from "@sealway/accounts"
import { createCache } from "@sealway/kernel"
import type { Table } from "@sealway/ports"
import { matchesPcrs, type Pcrs } from "../attestation/pcrs.ts"
import { type EnclaveRegistration, enclaveRecords } from "./enclave-table.ts"

const MAX_APPS = 1_000

/** The registrations of apps, each at most `CONFIGURATION_TTL_MS` old. */
export interface EnclaveRegistry {
  /** Finds the app's newest registration that an enclave fits; null when it fits none. */
  find(appId: string, pcrs: Pcrs): Promise<EnclaveRegistration | null>
  /** Drops the cached registrations of an app in this process. */
  forget(appId: string): void
}

/** @param now a monotonic clock, in milliseconds */
export function createEnclaveRegistry(table: Pick<Table, "list">, now: () => number): EnclaveRegistry {
  const cache = createCache<readonly EnclaveRegistration[]>({
    maxEntries: MAX_APPS,
    ttlMs: CONFIGURATION_TTL_MS,
    now,
  })
  return {
    async find(appId, pcrs) {
      const known = await cache.get(appId, () => enclaveRecords.list(table, appId))
      return known?.find((registration) => matchesPcrs(pcrs, registration.pcrs)) ?? null
    },
    forget: (appId) => cache.forget(appId),
  }
}
