import { andThen, type Clocks, ConflictError, createCache, type MaybePromise } from "@sealway/kernel"
import type { App } from "../accounts/app-table.ts"
import { CONFIGURATION_TTL_MS } from "../accounts/directory.ts"
import type { Table } from "../tables/table.ts"
import { generateKeyVersionSecrets, type KeyVersion, openKeyVersion } from "./key-version.ts"
import { createKeyVersion, type KeyVersionRecord, listKeyVersions } from "./key-version-table.ts"
import type { EncryptionContext, KmsEnvelope } from "./kms-envelope.ts"

/** How long an opened key version stays in memory. */
const OPENED_TTL_MS = 5 * 60_000
/** The values of one app trigger a fresh read of its list of versions at most this often. */
const REFRESH_INTERVAL_MS = 1_000
const MAX_APPS = 10_000
const MAX_VERSIONS_PER_APP = 100

/** The keys of apps. A warm call makes no AWS call. */
export interface Keyring {
  /** Returns the version that new values are sealed to. */
  newest(app: App): MaybePromise<KeyVersion>
  /** Returns the numbers of an app's versions, newest first; at most `CONFIGURATION_TTL_MS` old. */
  versions(app: App): Promise<readonly number[]>
  /**
   * Like `versions`, but read again unless that was done within the last second: another process may have rotated, and
   * a value sealed to its new version must open here immediately.
   */
  refreshedVersions(app: App): Promise<readonly number[]>
  /** Opens one of the `versions`. */
  open(app: App, version: number): MaybePromise<KeyVersion>
  /**
   * Adds a version, which becomes the newest. Older ones still open.
   *
   * @param records the table to write through. Default: the keyring's own
   * @returns the number of the version
   * @throws ConflictError when another call adds one at the same time, or the app has 100 already
   */
  addVersion(app: App, records?: Table): Promise<number>
  /** Drops an app's cached list of versions in this process, so that it is read again when next needed. */
  forget(appId: string): void
}

export interface KeyringDependencies extends Clocks {
  readonly table: Table
  readonly envelope: KmsEnvelope
}

interface KeyVersionList {
  readonly records: readonly KeyVersionRecord[]
  readonly readAtMs: number
}

export function createKeyring({ table, envelope, now, wallClock }: KeyringDependencies): Keyring {
  const lists = createCache<KeyVersionList>({ maxEntries: MAX_APPS, ttlMs: CONFIGURATION_TTL_MS, now })
  const opened = createCache<KeyVersion>({ maxEntries: MAX_APPS, ttlMs: OPENED_TTL_MS, now })

  function list(app: App): MaybePromise<KeyVersionList> {
    const found = lists.get(app.id, async () => ({
      records: await listKeyVersions(table, app.id),
      readAtMs: now(),
    }))
    return andThen(found, (each) => required(each, "A list of key versions is never absent"))
  }

  function open(app: App, version: number): MaybePromise<KeyVersion> {
    const found = opened.get(`${app.id}/${version}`, async () => {
      const { records } = await list(app)
      const record = records.find((each) => each.version === version)
      if (record === undefined) return null
      const secrets = await envelope.open(record.ciphertext, encryptionContext(app, version))
      return openKeyVersion(version, secrets, { debug: app.environment === "sandbox", now })
    })
    return andThen(found, (each) => required(each, "The app has no such key version"))
  }

  return {
    open,
    newest: (app) =>
      andThen(list(app), ({ records }) =>
        open(app, required(records[0] ?? null, "The app has no keys").version),
      ),
    async versions(app) {
      return numbersOf(await list(app))
    },
    async refreshedVersions(app) {
      const known = await list(app)
      if (now() - known.readAtMs < REFRESH_INTERVAL_MS) return numbersOf(known)
      lists.forget(app.id)
      return numbersOf(await list(app))
    },
    async addVersion(app, records = table) {
      const known = await listKeyVersions(records, app.id)
      if (known.length >= MAX_VERSIONS_PER_APP) {
        throw new ConflictError(`The app has ${MAX_VERSIONS_PER_APP} key versions, the maximum.`)
      }
      const version = firstFree(numbersOf({ records: known }))
      const secrets = generateKeyVersionSecrets()
      const ciphertext = await envelope.seal(secrets, encryptionContext(app, version))
      secrets.fill(0)
      if (!(await createKeyVersion(records, app.id, { version, ciphertext, createdAt: wallClock() }))) {
        throw new ConflictError("Another rotation of this app's keys is in progress.")
      }
      lists.forget(app.id)
      return version
    },
    forget: (appId) => lists.forget(appId),
  }
}

function required<Value>(value: Value | null, problem: string): Value {
  if (value === null) throw new Error(problem)
  return value
}

/**
 * Returns the next number. Versions are never removed. A repeated request does not see the version that it created
 * itself, and gets the same number again even if others have added later ones since.
 */
function firstFree(versions: readonly number[]): number {
  let version = 1
  while (versions.includes(version)) version++
  return version
}

function numbersOf({ records }: Pick<KeyVersionList, "records">): readonly number[] {
  return records.map(({ version }) => version)
}

/** Binds stored secrets to their record: copied to another app, or renumbered, they do not decrypt. */
function encryptionContext(app: App, version: number): EncryptionContext {
  return { team: app.teamId, app: app.id, version: String(version) }
}
