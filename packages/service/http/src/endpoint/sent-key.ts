import { type ApiKeyRecord, apiKeyKind, type Directory, hashApiKey } from "@sealway/accounts"
import { andThen, equalInConstantTime, type MaybePromise, UnauthorizedError } from "@sealway/kernel"

/** Request headers, lower-case names. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** What keys are looked up in. */
interface KeyServices {
  readonly directory: Pick<Directory, "apiKey">
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** A valid key, and what was sent. */
export interface SentKey {
  readonly record: ApiKeyRecord
  readonly secret: string
}

interface Credentials {
  /** App or team id; null when the key came alone, in `Api-Key` or with an empty user name. */
  readonly owner: string | null
  readonly key: string
  /** See `hashApiKey`. */
  readonly hash: string
}

/** More than any client sends. Base64 is read without what does not belong to it, so that a valid one can be longer. */
const MAX_KEPT_CHARACTERS = 256

/**
 * The last credentials that were accepted on a connection, which most of its requests send again: reading and hashing a key
 * takes several times as long as finding it. Only reading is spared. Each request looks the key up again, and is refused
 * once the key is revoked or expired.
 */
export class KnownSender {
  #header = Buffer.alloc(0)
  #credentials: Credentials | null = null
  #record: ApiKeyRecord | null = null

  /** Returns what `Authorization` says, if it is the last that was accepted. */
  recall({ authorization }: RequestHeaders): Credentials | null {
    if (authorization === undefined || this.#credentials === null) return null
    return equalInConstantTime(authorization, this.#header) ? this.#credentials : null
  }

  /** Whether a record was accepted for these credentials. One that was read again is another. */
  hasAccepted(record: ApiKeyRecord, credentials: Credentials): boolean {
    return record === this.#record && credentials === this.#credentials
  }

  accept(record: ApiKeyRecord, credentials: Credentials, { authorization }: RequestHeaders): void {
    if (authorization === undefined || authorization.length > MAX_KEPT_CHARACTERS) return
    this.#header = Buffer.from(authorization)
    this.#credentials = credentials
    this.#record = record
  }
}

/**
 * Finds the key that a request sends. Without a promise when the key is in memory, as nearly always.
 *
 * @param sender who sent the connection's earlier requests. Default: not known
 * @throws UnauthorizedError when the key is malformed, unknown, expired, revoked or another owner's, all alike
 */
export function findSentKey(
  headers: RequestHeaders,
  { directory, wallClock }: KeyServices,
  sender: KnownSender | null = null,
): MaybePromise<SentKey | null> {
  const credentials = sender?.recall(headers) ?? readCredentials(headers)
  if (credentials === null) return null
  const { owner, key, hash } = credentials
  return andThen(directory.apiKey(hash), (record) => {
    if (record === null || !isInForce(record, wallClock())) throw new UnauthorizedError()
    if (sender?.hasAccepted(record, credentials)) return { record, secret: key }
    if (!equalInConstantTime(record.hash, hash)) throw new UnauthorizedError()
    if (owner !== null && owner !== (record.appId ?? record.teamId)) throw new UnauthorizedError()
    sender?.accept(record, credentials, headers)
    return { record, secret: key }
  })
}

/** `Authorization` wins when both are sent. */
function readCredentials({ authorization, "api-key": key }: RequestHeaders): Credentials | null {
  if (authorization === undefined) return key === undefined ? null : credentialsOf(null, key)
  if (authorization.slice(0, 6).toLowerCase() !== "basic ") return null
  const pair = Buffer.from(authorization.slice(6), "base64").toString("utf8")
  const colon = pair.indexOf(":")
  if (colon === -1) throw new UnauthorizedError()
  return credentialsOf(pair.slice(0, colon) || null, pair.slice(colon + 1))
}

function credentialsOf(owner: string | null, key: string): Credentials {
  if (apiKeyKind(key) === null) throw new UnauthorizedError()
  return { owner, key, hash: hashApiKey(key) }
}

/** False for a key that is revoked or expired. @param nowMs epoch milliseconds */
export function isInForce({ revokedAt, expiresAt }: ApiKeyRecord, nowMs: number): boolean {
  return revokedAt === null && (expiresAt === null || nowMs < expiresAt)
}
