import { randomUUID } from "node:crypto"
import { type App, CONFIGURATION_TTL_MS } from "@sealway/accounts"
import {
  andThen,
  type Cache,
  type Clocks,
  ConflictError,
  createCache,
  type MaybePromise,
} from "@sealway/kernel"
import { APP_TAG, KEY_TAG, type KeyPart, type Table, TEAM_TAG } from "@sealway/ports"
import { createContentKeyStore } from "./content-keys.ts"
import { hasValueKey, type KeyVersion, type OpenedParts, openPart } from "./key-version.ts"
import { generateHsmPart, generatePrivatePart } from "./key-version-parts.ts"
import { createKeyVersion, custodyOf, type KeyVersionRecord, listKeyVersions } from "./key-version-table.ts"
import type { KmsAgreement } from "./kms-agreement.ts"
import type { KmsEnvelope } from "./kms-envelope.ts"
import { partContext, sealDerivedParts } from "./seal-parts.ts"
import { createSubjectKeys, type SubjectKeys } from "./subject-keys.ts"

/** How long an opened key version stays in memory. */
const OPENED_TTL_MS = 5 * 60_000
/** The values of one app trigger a fresh read of its list of versions at most this often. */
const REFRESH_INTERVAL_MS = 1_000
const MAX_APPS = 10_000
const MAX_VERSIONS_PER_APP = 100

/**
 * The keys of apps. A warm call makes no AWS call. Callers name the part of a version that they need: a process that
 * never asks for the private part never holds a private key.
 */
export interface Keyring {
  /** Returns the version that new values are sealed to: the newest one that has the part. */
  newest<Part extends KeyPart>(app: App, part: Part): MaybePromise<OpenedParts[Part]>
  /** Returns the numbers of an app's versions, newest first; at most `CONFIGURATION_TTL_MS` old. */
  versions(app: App): MaybePromise<readonly number[]>
  /**
   * Like `versions`, but read again unless that was done within the last second: another process may have rotated, and
   * a value sealed to its new version must open here immediately.
   */
  refreshedVersions(app: App): Promise<readonly number[]>
  /** Opens one of the `versions`. */
  open<Part extends KeyPart>(app: App, version: number, part: Part): MaybePromise<OpenedParts[Part]>
  /** Returns one of the versions, with its private keys, if it is in memory; opens nothing. */
  peek(app: App, version: number): KeyVersion | undefined
  /**
   * Adds a version of the app's custody, which becomes the newest. Older ones still open.
   *
   * @param records the table to write through. Default: the keyring's own
   * @returns the number of the version
   * @throws ConflictError when another call adds one at the same time, or the app has 100 already
   */
  addVersion(app: App, records?: Table): Promise<number>
  /** Does the same, unless the newest version is of the app's custody. @throws as `addVersion` */
  ensureCustody(app: App, records?: Table): Promise<void>
  /** The keys of an app's data subjects. */
  readonly subjects: SubjectKeys
  /** Drops an app's cached list of versions in this process, so that it is read again when next needed. */
  forget(appId: string): void
}

export interface KeyringDependencies extends Clocks {
  /** The table of data subjects. */
  readonly configTable: Table
  readonly keysTable: Table
  /** The table of the ledger of erasures. */
  readonly eventsTable: Pick<Table, "get">
  readonly envelope: KmsEnvelope
  readonly agreement: KmsAgreement
  /** The tags of all keys that the service creates in KMS, see `runTimeTags`. */
  readonly keyTags: Readonly<Record<string, string>>
}

interface KeyVersionList {
  readonly records: readonly KeyVersionRecord[]
  /** Of the records, in their order. */
  readonly numbers: readonly number[]
  readonly readAtMs: number
}

export function createKeyring({
  configTable,
  keysTable,
  eventsTable,
  envelope,
  agreement,
  keyTags,
  now,
  wallClock,
}: KeyringDependencies): Keyring {
  const lists = createCache<KeyVersionList>({ maxEntries: MAX_APPS, ttlMs: CONFIGURATION_TTL_MS, now })
  const limits = { maxEntries: MAX_APPS, ttlMs: OPENED_TTL_MS, now }
  const opened: { readonly [Part in KeyPart]: Cache<OpenedParts[Part]> } = {
    public: createCache(limits),
    value: createCache(limits),
    secret: createCache(limits),
    private: createCache(limits),
  }
  const contentKeys = createContentKeyStore({ now, maxAgeMs: OPENED_TTL_MS })
  /** Finds a part that is open, or a larger one. */
  const inMemory: { readonly [Part in KeyPart]: (id: string) => OpenedParts[Part] | undefined } = {
    public: (id) => opened.public.peek(id) ?? inMemory.value(id) ?? inMemory.secret(id),
    value(id) {
      const known = opened.value.peek(id) ?? inMemory.private(id)
      return known === undefined || !("custody" in known) || hasValueKey(known) ? known : undefined
    },
    secret: (id) => opened.secret.peek(id) ?? inMemory.private(id),
    private: (id) => opened.private.peek(id),
  }

  function list(app: App): MaybePromise<KeyVersionList> {
    const found = lists.get(app.id, async () => {
      const records = await listKeyVersions(keysTable, app.id)
      return { records, numbers: numbersOf(records), readAtMs: now() }
    })
    return andThen(found, (each) => required(each, "A list of key versions is never absent"))
  }

  function open<Part extends KeyPart>(
    app: App,
    version: number,
    part: Part,
  ): MaybePromise<OpenedParts[Part]> {
    const id = idOf(app, version)
    const known = inMemory[part](id)
    if (known !== undefined) return known
    const found = opened[part].get(id, async () => {
      const { records } = await list(app)
      const record = records.find((each) => each.version === version)
      if (record === undefined) return null
      const createContentKeys = () => contentKeys.forVersion(app.id)
      const options = { debug: app.environment === "sandbox", now, createContentKeys, agreement }
      return openPart[part](version, await decryptPart(app, record, part), options)
    })
    return andThen(found, (each) => required(each, "The app has no such key version"))
  }

  async function decryptPart(
    app: App,
    { version, ciphertext, parts }: KeyVersionRecord,
    part: KeyPart,
  ): Promise<Uint8Array> {
    const sealed = part === "private" ? ciphertext : parts[part]
    return envelope.open(
      required(sealed ?? null, `The key version has no part ${part}`),
      partContext(app, version, part),
    )
  }

  /** Creates a version's private part. For an HSM, its private key in KMS too. */
  async function createPrivatePart({ id, teamId, custody }: App) {
    if (custody === "envelope") return { privatePart: generatePrivatePart() }
    // A new tag for each key: repeated and concurrent calls create a key each, and only one of them gets a record.
    const keyTag = randomUUID()
    const tags = { ...keyTags, [TEAM_TAG]: teamId, [APP_TAG]: id, [KEY_TAG]: keyTag }
    return { privatePart: generateHsmPart(await agreement.createKey(tags)), keyTag }
  }

  async function addVersion(app: App, known: readonly KeyVersionRecord[], records: Table): Promise<number> {
    if (known.length >= MAX_VERSIONS_PER_APP) {
      throw new ConflictError(`The app has ${MAX_VERSIONS_PER_APP} key versions, the maximum.`)
    }
    const version = firstFree(numbersOf(known))
    const { privatePart, ...tagged } = await createPrivatePart(app)
    const [ciphertext, parts] = await Promise.all([
      envelope.seal(privatePart, partContext(app, version, "private")),
      sealDerivedParts(envelope, app, version, privatePart),
    ])
    privatePart.fill(0)
    const createdAt = wallClock()
    if (!(await createKeyVersion(records, app.id, { version, ciphertext, parts, ...tagged, createdAt }))) {
      throw new ConflictError("Another rotation of this app's keys is in progress.")
    }
    lists.forget(app.id)
    return version
  }

  function newest<Part extends KeyPart>(app: App, part: Part): MaybePromise<OpenedParts[Part]> {
    return andThen(list(app), ({ records }) => {
      const having = part === "value" ? records.find(hasPartValue) : records[0]
      return open(app, required(having ?? null, "The app has no keys").version, part)
    })
  }

  const subjects = createSubjectKeys({
    configTable,
    eventsTable,
    now,
    wallClock,
    openVersion: (app, version) => open(app, version, "value"),
    newestVersion: (app) => newest(app, "value"),
    oldestVersion: async (app) => (await list(app)).records.findLast(hasPartValue)?.version ?? null,
  })

  return {
    open,
    newest,
    subjects,
    peek: (app, version) => inMemory.private(idOf(app, version)),
    versions: (app) => andThen(list(app), ({ numbers }) => numbers),
    async refreshedVersions(app) {
      const known = await list(app)
      if (now() - known.readAtMs < REFRESH_INTERVAL_MS) return known.numbers
      lists.forget(app.id)
      return (await list(app)).numbers
    },
    addVersion: async (app, records = keysTable) =>
      addVersion(app, await listKeyVersions(records, app.id), records),
    async ensureCustody(app, records = keysTable) {
      const known = await listKeyVersions(records, app.id)
      if (known[0] === undefined || custodyOf(known[0]) !== app.custody) await addVersion(app, known, records)
    },
    forget: (appId) => lists.forget(appId),
  }
}

/** A key version in an HSM has no part `value`. */
function hasPartValue(record: KeyVersionRecord): boolean {
  return custodyOf(record) === "envelope"
}

function idOf(app: App, version: number): string {
  return `${app.id}/${version}`
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

function numbersOf(records: readonly KeyVersionRecord[]): readonly number[] {
  return records.map(({ version }) => version)
}
