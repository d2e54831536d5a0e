import { findApp } from "@sealway/accounts"
import type { Log, Table } from "@sealway/ports"
import type { HsmKey, HsmKeys } from "./hsm-keys.ts"
import { listKeyVersions } from "./key-version-table.ts"

export interface SweepDependencies {
  readonly hsmKeys: HsmKeys
  readonly configTable: Table
  readonly keysTable: Table
  readonly log: Log
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** Says that keys were looked for, for a day: it takes a call for each key of the account. */
const SWEPT = { pk: "hsm-keys", sk: "swept" }
const SWEPT_SECONDS = 86_400
const HOUR_MS = 3_600_000
/** A request that creates a key names it in a record within a minute, or never. */
const WITHOUT_RECORD_MS = HOUR_MS
/** A request that creates an app, and died after it had created its key version, may be completed for a day. */
const WITHOUT_APP_MS = 48 * HOUR_MS
/** More keys than this, and more than have a record, look like the wrong table rather than like crashes. */
const MAX_PLAUSIBLE = 10

/** What the table knows about an app. */
interface KnownApp {
  readonly exists: boolean
  /** The tags that records of its key versions name. */
  readonly keyTags: ReadonlySet<string | undefined>
}

/**
 * Lets KMS delete the keys that no key version of an app uses: their creation was interrupted, or lost a race, or their
 * record was removed. Can be interrupted, repeated and run twice at a time.
 *
 * @param signal stops before the next key when it is aborted. Default: never
 * @returns how many keys are going to be deleted
 * @throws Error when implausibly many keys have no record; then none is deleted
 */
export async function sweepHsmKeys(
  { hsmKeys, configTable, keysTable, log, wallClock }: SweepDependencies,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  if ((await configTable.get(SWEPT)) !== null) return 0
  const apps = new Map<string, KnownApp>()
  const orphans: HsmKey[] = []
  let living = 0
  for await (const key of hsmKeys.list()) {
    if (signal.aborted) return 0
    const app = apps.get(key.appId) ?? (await findKnown({ configTable, keysTable }, key.appId))
    apps.set(key.appId, app)
    const isRecorded = app.keyTags.has(key.keyTag)
    if (isRecorded && app.exists) living++
    else if (wallClock() - key.createdAt >= (isRecorded ? WITHOUT_APP_MS : WITHOUT_RECORD_MS))
      orphans.push(key)
  }
  if (orphans.length > Math.max(MAX_PLAUSIBLE, living)) {
    throw new Error(
      `${orphans.length} keys in KMS have no key version, and ${living} have one: none is deleted`,
    )
  }
  for (const { keyId } of orphans) {
    await hsmKeys.scheduleDeletion(keyId)
    log.warn("a key in KMS that no key version uses is going to be deleted in 30 days")
  }
  await configTable.put(SWEPT, { expiresAt: Math.floor(wallClock() / 1000) + SWEPT_SECONDS })
  return orphans.length
}

async function findKnown(
  { configTable, keysTable }: Pick<SweepDependencies, "configTable" | "keysTable">,
  appId: string,
): Promise<KnownApp> {
  const versions = await listKeyVersions(keysTable, appId)
  return {
    exists: (await findApp(configTable, appId)) !== null,
    keyTags: new Set(versions.map(({ keyTag }) => keyTag)),
  }
}
