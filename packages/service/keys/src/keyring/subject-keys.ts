import { createHmac, hkdfSync, randomBytes, randomInt } from "node:crypto"
import type { App } from "@sealway/accounts"
import {
  ApiError,
  andThen,
  ConflictError,
  createCache,
  type MaybePromise,
  openBytes,
  sealBytes,
} from "@sealway/kernel"
import { type Grant, SUBJECT_READING_GRANTS, type Table } from "@sealway/ports"
import {
  createSubjectKey,
  decodeSubjectId,
  ErasedSubjectError,
  encodeSubjectId,
  InvalidTokenError,
  SUBJECT_ID_BYTES,
  type SubjectKey,
} from "@sealway/tokens"
import { type DataSubject, dataSubjectRecords, referenceRecords } from "./data-subject-table.ts"
import { findDataSubject } from "./find-data-subject.ts"
import type { ValueKeyVersion } from "./key-version.ts"

/** What reading the key of a data subject needs. */
export const SUBJECT_GRANTS = [
  ...SUBJECT_READING_GRANTS,
  "dynamodb:Query/keys",
  "kms:Decrypt/value",
] as const satisfies readonly Grant[]

/** What creating a data subject needs, beside reading one. */
export const SUBJECT_CREATION_GRANTS = [
  "dynamodb:PutItem/config",
  "dynamodb:DeleteItem/config",
] as const satisfies readonly Grant[]

/** What `forSealing` needs: it may create a data subject. */
export const SUBJECT_SEALING_GRANTS = [
  ...SUBJECT_GRANTS,
  ...SUBJECT_CREATION_GRANTS,
] as const satisfies readonly Grant[]

/** The keys of data subjects. */
export interface SubjectKeys {
  /**
   * Returns the key of a data subject, as it was at most 5 seconds ago. A warm call makes no AWS call.
   *
   * @throws ErasedSubjectError when it is erased, or is going to be
   * @throws InvalidTokenError when the app has no such data subject
   */
  open(app: App, subjectId: string): MaybePromise<SubjectKey>
  /** Returns the key of a data subject if it is in memory; opens nothing. */
  peek(app: App, subjectId: string): SubjectKey | undefined
  /**
   * Returns the key of the data subject that callers know by a reference, as it is now: what is sealed after an erasure
   * was confirmed would be lost. Creates the data subject if there is none.
   *
   * @throws ConflictError when it is going to be erased, or the app's keys are in an HSM
   */
  forSealing(app: App, reference: string): Promise<SubjectKey>
  /** Returns the id of the data subject that callers know by a reference; null when there is none. */
  findId(app: App, reference: string): Promise<string | null>
  /** Makes this process read a data subject again. */
  forget(appId: string, subjectId: string): void
}

export interface SubjectKeysDependencies {
  readonly configTable: Table
  /** The table of the ledger, see `erasureRecords`. */
  readonly eventsTable: Pick<Table, "get">
  /** Opens a key version with its value key. */
  readonly openVersion: (app: App, version: number) => MaybePromise<ValueKeyVersion>
  /** Opens the newest one. */
  readonly newestVersion: (app: App) => MaybePromise<ValueKeyVersion>
  /** Returns the number of the oldest key version that has a value key; null when none has. */
  readonly oldestVersion: (app: App) => Promise<number | null>
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** For so long a destroyed key may still be in the memory of a process. */
export const SUBJECT_KEY_TTL_MS = 5_000
const MAX_CACHED = 10_000
const KEY_BYTES = 32
const POINT_BYTES = 33
const FORMAT = 1
const MAX_ATTEMPTS = 3
/** The largest range of `randomInt`. */
const MAX_REVISION = 2 ** 48 - 1

/** Null for a data subject that is erased or going to be. */
interface CachedKey {
  readonly key: SubjectKey | null
  /** When it began to be read, by `now`. */
  readonly readAtMs: number
}

export function createSubjectKeys({
  configTable,
  eventsTable,
  openVersion,
  newestVersion,
  oldestVersion,
  now,
  wallClock,
}: SubjectKeysDependencies): SubjectKeys {
  const cache = createCache<CachedKey>({ maxEntries: MAX_CACHED, ttlMs: SUBJECT_KEY_TTL_MS, now })

  function inMemory(name: string): CachedKey | undefined {
    const found = cache.peek(name)
    // The cache counts from when the read was done.
    return found !== undefined && now() - found.readAtMs < SUBJECT_KEY_TTL_MS ? found : undefined
  }

  async function load(app: App, subjectId: string): Promise<CachedKey | null> {
    const readAtMs = now()
    const subject = await find(app, subjectId)
    if (subject === null) return null
    return { key: subject.status === "active" ? await openKey(app, subject) : null, readAtMs }
  }

  const find = (app: App, id: string) => findDataSubject({ configTable, eventsTable }, app.id, id)

  async function openKey(app: App, { id, key }: Pick<DataSubject, "id" | "key">): Promise<SubjectKey> {
    if (key === null) throw new Error("An active data subject has no key")
    const { valueKey } = await openVersion(app, key.keyVersion)
    const content = openBytes(wrappingKeyOf(valueKey), key.sealed, additionalDataOf(app.id, id))
    if (content === null) throw new Error("The key of a data subject does not open")
    return decodeKey(app, id, content)
  }

  async function create(app: App, name: string): Promise<string> {
    const { version, valueKey, publicKeys } = await newestVersion(app)
    const id = encodeSubjectId(randomBytes(SUBJECT_ID_BYTES))
    const content = Buffer.concat([Buffer.of(FORMAT), publicKeys.prime256v1, randomBytes(KEY_BYTES)])
    const sealed = sealBytes(wrappingKeyOf(valueKey), content, additionalDataOf(app.id, id))
    content.fill(0)
    const created: DataSubject = {
      id,
      status: "active",
      key: { keyVersion: version, sealed },
      reference: name,
      createdAt: wallClock(),
      requestedAt: null,
      eraseAt: null,
      erasedAt: null,
      changes: 0,
      revision: 1,
    }
    // The key first: once a reference leads to it, values are sealed with it.
    if (!(await dataSubjectRecords.create(configTable, app.id, created)))
      throw new Error("A random id is taken")
    const reference = { name, subjectId: id, revision: randomInt(MAX_REVISION) }
    if (await referenceRecords.create(configTable, app.id, reference)) return id
    await dataSubjectRecords.remove(configTable, app.id, created)
    const standing = await referenceRecords.find(configTable, app.id, { name })
    return standing?.subjectId ?? create(app, name)
  }

  async function referenceName(app: App, reference: string): Promise<string | null> {
    const version = await oldestVersion(app)
    if (version === null) return null
    const { valueKey } = await openVersion(app, version)
    const key = derived(valueKey, "data-subject-reference")
    return createHmac("sha256", key).update(reference).digest("base64url")
  }

  async function findId(app: App, reference: string): Promise<string | null> {
    const name = await referenceName(app, reference)
    const found = name === null ? null : await referenceRecords.find(configTable, app.id, { name })
    return found?.subjectId ?? null
  }

  return {
    findId,
    forget: (appId, subjectId) => cache.forget(nameOf(appId, subjectId)),
    peek: (app, subjectId) => inMemory(nameOf(app.id, subjectId))?.key ?? undefined,

    open(app, subjectId) {
      const name = nameOf(app.id, subjectId)
      const known = inMemory(name)
      if (known !== undefined) return requireKey(known)
      if (cache.peek(name) !== undefined) cache.forget(name)
      return andThen(
        cache.get(name, () => load(app, subjectId)),
        requireKey,
      )
    },

    async forSealing(app, reference) {
      const name = app.custody === "hsm" ? null : await referenceName(app, reference)
      if (name === null) throw new ConflictError(NEEDS_ENVELOPE)
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const standing = await referenceRecords.find(configTable, app.id, { name })
        const id = standing?.subjectId ?? (await create(app, name))
        const subject = await find(app, id)
        if (subject?.status === "pending") throw new ConflictError(IS_PENDING)
        if (subject?.status === "active") return openKey(app, subject)
        // Erased, by a process that did not come to remove the reference.
        if (standing !== null) await referenceRecords.remove(configTable, app.id, standing)
      }
      throw new ApiError("service-unavailable", "The data subject is being erased. Try again.", {
        headers: { "retry-after": "1" },
      })
    },
  }
}

const NEEDS_ENVELOPE =
  "Data subjects need a secret key in the service, which an app whose keys are in an HSM does not have. Set the app's `custody` to `envelope`."
const IS_PENDING =
  "The data subject is going to be erased. Undo the erasure first, or wait until it is complete: then a new data subject is created."

function requireKey(found: CachedKey | null): SubjectKey {
  if (found === null) throw new InvalidTokenError()
  if (found.key === null) throw new ErasedSubjectError()
  return found.key
}

function decodeKey(app: App, id: string, content: Buffer): SubjectKey {
  if (content.length !== 1 + POINT_BYTES + KEY_BYTES || content[0] !== FORMAT) {
    throw new Error("The key of a data subject is not of a known format")
  }
  const subjectKey = createSubjectKey({
    subjectId: decodeSubjectId(id),
    key: content.subarray(1 + POINT_BYTES),
    appPublicKey: content.subarray(1, 1 + POINT_BYTES),
    debug: app.environment === "sandbox",
  })
  content.fill(0)
  return subjectKey
}

/** The key that seals the keys of data subjects, from the value key of a key version. */
function wrappingKeyOf(valueKey: Buffer): Buffer {
  return derived(valueKey, "data-subject")
}

function derived(valueKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", valueKey, "", `sealway/v1/${purpose}`, KEY_BYTES))
}

/** Moved to another data subject or app, a sealed key does not open. NUL separates the parts, because ids contain none. */
function additionalDataOf(appId: string, subjectId: string): Buffer {
  return Buffer.from(`${appId}\0data-subject\0${subjectId}`)
}

function nameOf(appId: string, subjectId: string): string {
  return `${appId}/${subjectId}`
}
