import {
  type ApiKeyRecord,
  type ChosenLimits,
  createApiKey,
  createApiKeyRecord,
  findApiKeyById,
  grantsScope,
  hashApiKey,
  type KeyOwner,
  NO_CHOSEN_LIMITS,
  replaceApiKey,
  type Scope,
} from "@sealway/accounts"
import { isInForce, type Platform } from "@sealway/http"
import { ConflictError, invalidField, isId, NotFoundError } from "@sealway/kernel"
import { type AuditAuthor, audited } from "@sealway/records"

type KeyPlatform = Pick<Platform, "keysTable" | "audit" | "draws" | "wallClock">

/** A key to issue, and its owner. */
export interface NewApiKey extends KeyOwner, Pick<ApiKeyRecord, "kind" | "name" | "scopes"> {
  /** Default: none are chosen. */
  readonly limits?: Partial<ChosenLimits>
  /** Epoch milliseconds; null for a key that does not expire. */
  readonly expiresAt: number | null
}

/** A key that was just issued. */
export interface IssuedApiKey {
  readonly record: ApiKeyRecord
  /** The only copy: the service stores its hash. */
  readonly key: string
}

/** Issues an API key of an app, or a team key. */
export async function issueApiKey(
  { keysTable, audit, draws, wallClock }: KeyPlatform,
  wanted: NewApiKey,
  author: AuditAuthor,
): Promise<IssuedApiKey> {
  const key = createApiKey(wanted.kind, draws.randomBytes)
  const createdAt = wallClock()
  const id = draws.newId("key", createdAt)
  const hash = hashApiKey(key)
  const limits = { ...NO_CHOSEN_LIMITS, ...wanted.limits }
  const record = { ...wanted, limits, id, hash, createdAt, revokedAt: null, revision: 1 }
  const details = { scopes: wanted.scopes.join(" "), expiresAt: wanted.expiresAt, ...wanted.limits }
  return audited(audit, { ...entryOf(record, "create", author), details }, async () => {
    if (!(await createApiKeyRecord(keysTable, record))) throw new Error("The new key's hash is taken")
    return { record, key }
  })
}

/**
 * Revokes a key permanently; within 10 seconds every process refuses it. Revoking it again changes nothing.
 *
 * @throws NotFoundError when the owner has no such key, ConflictError when another call changes it at the same time
 */
export async function revokeApiKey(
  platform: KeyPlatform,
  owner: KeyOwner,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const record = await findKey(platform, owner, id)
  if (record.revokedAt !== null) return
  await audited(platform.audit, entryOf(record, "revoke", author), () =>
    replace(platform, { ...record, revokedAt: platform.wallClock() }),
  )
}

/** What of a key can be changed. */
export interface ApiKeyChanges {
  /** The scopes that the key keeps, which then all count as chosen. */
  readonly scopes?: readonly (Scope | "*")[]
  /** What is left out stays as it is. */
  readonly limits?: Partial<ChosenLimits>
}

/**
 * Narrows an app's key to exactly these scopes, or changes its limits. Within 10 seconds every process applies that.
 *
 * @throws NotFoundError when the owner has no such key
 * @throws InvalidRequestError when the key lacks one of the scopes
 * @throws ConflictError when the key is revoked or has expired, or another call changes it at the same time
 */
export async function changeApiKey(
  platform: KeyPlatform,
  owner: KeyOwner,
  id: string,
  { scopes, limits }: ApiKeyChanges,
  author: AuditAuthor,
): Promise<ApiKeyRecord> {
  const record = await findKey(platform, owner, id)
  requireInForce(record, platform.wallClock())
  const lacking = (scopes ?? []).findIndex((scope) => !grantsScope(record.scopes, scope))
  if (lacking !== -1) {
    const reason =
      "The key does not have this scope. Scopes can only be removed; to grant more, issue another key."
    throw invalidField(`/scopes/${lacking}`, reason)
  }
  const details = {
    ...(scopes && { scopes: scopes.join(" "), scopesBefore: record.scopes.join(" ") }),
    ...limits,
  }
  const verb = scopes === undefined ? "update" : "narrow"
  return audited(platform.audit, { ...entryOf(record, verb, author), details }, () =>
    replace(platform, { ...record, ...(scopes && { scopes }), limits: { ...record.limits, ...limits } }),
  )
}

/**
 * Issues a key like an existing one, limits included, and makes the old one expire.
 *
 * @param overlapMs how long both are valid
 * @throws NotFoundError when the owner has no such key, ConflictError when it is revoked or expired, or another call
 * changes it at the same time
 */
export async function rotateApiKey(
  platform: KeyPlatform,
  owner: KeyOwner,
  id: string,
  overlapMs: number,
  author: AuditAuthor,
): Promise<IssuedApiKey> {
  const record = await findKey(platform, owner, id)
  const nowMs = platform.wallClock()
  requireInForce(record, nowMs)
  const { kind, name, scopes, limits, teamId, appId, expiresAt } = record
  const wanted = { kind, name, scopes, limits, teamId, appId, expiresAt }
  const issued = await issueApiKey(platform, wanted, author)
  const endsAt = Math.min(nowMs + overlapMs, expiresAt ?? Number.POSITIVE_INFINITY)
  const entry = { ...entryOf(record, "rotate", author), details: { successor: issued.record.id, endsAt } }
  try {
    await audited(platform.audit, entry, () => replace(platform, { ...record, expiresAt: endsAt }))
  } catch (error) {
    // The caller is told that nothing was rotated, and never sees the new key.
    if (error instanceof ConflictError) await revokeApiKey(platform, owner, issued.record.id, author)
    throw error
  }
  return issued
}

async function findKey({ keysTable }: KeyPlatform, owner: KeyOwner, id: string): Promise<ApiKeyRecord> {
  const record = isId("key", id) ? await findApiKeyById(keysTable, owner, id) : null
  if (record === null) throw new NotFoundError("The key")
  return record
}

/** @throws ConflictError when the key is revoked or expired */
function requireInForce(record: ApiKeyRecord, nowMs: number): void {
  if (!isInForce(record, nowMs)) throw new ConflictError("The key is revoked or has expired.")
}

async function replace({ keysTable }: KeyPlatform, record: ApiKeyRecord): Promise<ApiKeyRecord> {
  const stored = await replaceApiKey(keysTable, record)
  if (stored === null) throw new ConflictError("Another request is changing the key. Try again.")
  return stored
}

function entryOf(
  { id, teamId, appId }: Pick<ApiKeyRecord, "id" | "teamId" | "appId">,
  verb: "create" | "narrow" | "revoke" | "rotate" | "update",
  author: AuditAuthor,
) {
  const type = appId === null ? "team-key" : "api-key"
  return { ...author, teamId, appId, action: `${type}.${verb}`, target: { type, id } }
}
