import { apiKeyKind, equalApiKeyHashes, hashApiKey } from "./api-key.ts"
import type { Directory } from "./directory.ts"
import { ForbiddenError, UnauthorizedError } from "./errors.ts"
import type { ApiKeyRecord, App, Team } from "./records.ts"
import { grantsScope, type Scope } from "./scopes.ts"

/** Request headers, lower-case names. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** A way for a request to say who sends it. */
export interface AuthScheme<Principal> {
  readonly name: "api-key" | "team-key"
  /** What the credentials must be granted; null when any good ones will do. */
  readonly scope: Scope | null
  /**
   * Null: the request carries nothing of this scheme. Credentials that are of this scheme and not good throw.
   *
   * @throws UnauthorizedError when they are malformed, unknown, revoked or another owner's, all alike
   * @throws ForbiddenError when they are good and lack the scope, or are of the wrong kind
   */
  identify(headers: RequestHeaders, directory: Directory): Promise<Principal | null>
}

/** An app, by one of its API keys. */
export interface AppPrincipal {
  readonly app: App
  readonly apiKeyId: string
}

/** A team, by its team key. */
export interface TeamPrincipal {
  readonly team: Team
  readonly apiKeyId: string
}

/** An app's API key, as the password of HTTP Basic with the app id as user name, or alone in `Api-Key`. */
export function apiKey(scope: Scope | null = null): AuthScheme<AppPrincipal> {
  return {
    name: "api-key",
    scope,
    async identify(headers, directory) {
      const record = await identifyKey(headers, directory)
      if (record === null) return null
      if (record.appId === null)
        throw new ForbiddenError("This endpoint takes an app's API key, not a team key.")
      const app = await directory.app(record.appId)
      if (app === null) throw new UnauthorizedError()
      if (scope !== null && !grantsScope(record.scopes, scope)) {
        throw new ForbiddenError(`The API key lacks the scope ${scope}.`)
      }
      return { app, apiKeyId: record.id }
    },
  }
}

/** A team key, as the password of HTTP Basic with the team id as user name, or alone in `Api-Key`. */
export function teamKey(): AuthScheme<TeamPrincipal> {
  return {
    name: "team-key",
    scope: null,
    async identify(headers, directory) {
      const record = await identifyKey(headers, directory)
      if (record === null) return null
      if (record.kind !== "team")
        throw new ForbiddenError("This endpoint takes a team key, not an app's API key.")
      const team = await directory.team(record.teamId)
      if (team === null) throw new UnauthorizedError()
      return { team, apiKeyId: record.id }
    },
  }
}

/** Asks each scheme in turn. @throws UnauthorizedError when the request carries nothing of any of them */
export async function authenticate<Principal>(
  schemes: readonly AuthScheme<Principal>[],
  headers: RequestHeaders,
  directory: Directory,
): Promise<Principal> {
  for (const scheme of schemes) {
    const principal = await scheme.identify(headers, directory)
    if (principal !== null) return principal
  }
  throw new UnauthorizedError()
}

interface Credentials {
  /** App or team id; null where the key came alone, in `Api-Key` or with an empty user name. */
  readonly owner: string | null
  readonly key: string
}

/** Where both are sent, `Authorization` counts. */
function readCredentials({ authorization, "api-key": key }: RequestHeaders): Credentials | null {
  if (authorization === undefined) return key === undefined ? null : { owner: null, key }
  if (authorization.slice(0, 6).toLowerCase() !== "basic ") return null
  const pair = Buffer.from(authorization.slice(6), "base64").toString("utf8")
  const colon = pair.indexOf(":")
  if (colon === -1) throw new UnauthorizedError()
  return { owner: pair.slice(0, colon) || null, key: pair.slice(colon + 1) }
}

async function identifyKey(headers: RequestHeaders, directory: Directory): Promise<ApiKeyRecord | null> {
  const credentials = readCredentials(headers)
  if (credentials === null) return null
  const { owner, key } = credentials
  if (apiKeyKind(key) === null) throw new UnauthorizedError()
  const hash = hashApiKey(key)
  const record = await directory.apiKey(hash)
  if (record === null || !equalApiKeyHashes(record.hash, hash) || record.revokedAt !== null) {
    throw new UnauthorizedError()
  }
  if (owner !== null && owner !== (record.appId ?? record.teamId)) throw new UnauthorizedError()
  return record
}
