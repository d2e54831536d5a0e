import {
  type Actor,
  type ApiKeyRecord,
  type App,
  type Directory,
  findAppOfTeam,
  grantsScope,
  LIMIT_GRANTS,
  type Member,
  mayManage,
  mayUseApp,
  REVEALS,
  type Reveals,
  type Scope,
  type Session,
  scopesOfRole,
  type Team,
  type TeamAccess,
} from "@sealway/accounts"
import { andThen, ForbiddenError, invalidField, type MaybePromise, UnauthorizedError } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import type { Grant } from "@sealway/ports"
import { findSentKey, type KnownSender, type RequestHeaders } from "./sent-key.ts"

/** The result of valid credentials. */
export interface Identity<Principal> {
  readonly principal: Principal
  readonly actor: Actor
  /** The granted scopes. */
  readonly scopes: readonly string[]
  /** The secret that was presented. Never stored, logged or echoed. */
  readonly secret: string
  readonly teamId: string
  /** The app that the request acts as; null for none. */
  readonly app: App | null
  /** The API key that was used, or that issued the token; null for a member's session. */
  readonly apiKey: ApiKeyRecord | null
}

/** A member whose session was accepted, and what the request says about its app. */
export interface SignedInMember {
  readonly member: Member
  readonly session: Session
  readonly team: Team
  /** The app that the request names in a header; null for none. */
  readonly appId: string | null
  /** The app in the request's path; null for none. */
  readonly appIdInPath: string | null
  /** Whether the request's method changes nothing: GET or HEAD. */
  readonly isReading: boolean
  /** What the endpoint reveals. */
  readonly reveals: Reveals
}

/** What a member's session is for an endpoint. */
export interface MemberAccess<Principal> {
  readonly principal: Principal
  readonly scopes: readonly string[]
  /** The app that the request acts as; null for none. */
  readonly app: App | null
  /** Whether the member's role permits the request. */
  readonly isPermitted: boolean
}

/** What schemes look up credentials in. */
export interface IdentityServices {
  readonly directory: Directory
  readonly keyring: Keyring
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** A way to authenticate a request. */
export interface AuthScheme<Principal> {
  readonly name: "api-key" | "team-key" | "client-side-token" | "run-token" | "enclave" | "session"
  /** The scope that the credentials must have; null when any valid ones will do. */
  readonly scope: Scope | null
  /** The AWS permissions that looking up credentials needs. */
  readonly grants: readonly Grant[]
  /**
   * Identifies the sender. Returns null when the request has no credentials of this scheme.
   *
   * @param sender who sent the connection's earlier requests. Default: not known
   * @throws UnauthorizedError when they are malformed, unknown, expired, revoked or another owner's, all alike
   * @throws ForbiddenError when they are valid but of the wrong kind
   */
  identify(
    headers: RequestHeaders,
    services: IdentityServices,
    sender?: KnownSender | null,
  ): MaybePromise<Identity<Principal> | null>
  /**
   * Says what a member's session is for the endpoint. Default: the endpoint accepts no sessions.
   *
   * @throws ApiError when the request names no app that the member's team has
   */
  forMember?(member: SignedInMember, services: IdentityServices): Promise<MemberAccess<Principal>>
}

/** An app, authenticated by one of its API keys or by a member of its team. */
export interface AppPrincipal {
  readonly app: App
  /** The id of the key; of the member, when it is a member. No policy about keys names a member. */
  readonly apiKeyId: string
  /** The scopes of the key, or of the member's role. */
  readonly scopes: readonly string[]
}

/** A team, authenticated by its team key or by one of its members. */
export interface TeamPrincipal {
  readonly team: Team
  /** The id of the key; of the member, when it is a member. */
  readonly apiKeyId: string
}

/** A member, authenticated by a session. */
export interface SessionPrincipal {
  readonly team: Team
  readonly member: Member
  readonly session: Session
}

/** For finding a key and noting its use. */
const KEY_GRANTS: readonly Grant[] = [
  ...(["dynamodb:GetItem/keys", "dynamodb:GetItem/config", "dynamodb:PutItem/events"] as const),
  ...LIMIT_GRANTS,
]

/** An API key of an app, as the HTTP Basic password with the app id as user name, or alone in `Api-Key`. */
export function apiKey(scope: Scope | null = null): AuthScheme<AppPrincipal> {
  return {
    name: "api-key",
    scope,
    grants: KEY_GRANTS,
    identify: (headers, services, sender) =>
      andThen(findSentKey(headers, services, sender), (found) => {
        if (found === null) return null
        const { record, secret } = found
        const { id, appId, teamId, scopes } = record
        if (appId === null) throw new ForbiddenError("This endpoint needs an app's API key, not a team key.")
        return andThen(findEnabledApp(services.directory, appId), (app) => ({
          principal: { app, apiKeyId: id, scopes },
          actor: { type: "api-key", id },
          scopes,
          secret,
          teamId,
          app,
          apiKey: record,
        }))
      }),
    async forMember({ member, team, appId, isReading, reveals }, { directory }) {
      if (appId === null) {
        throw invalidField("/headers/x-service-app-id", "A request with a session must name its app.")
      }
      const app = await findAppOfTeam(directory, team.id, appId)
      if (app.status === "disabled") throw new ForbiddenError("The app is disabled.")
      const scopes = scopesOfRole(member.role, app.environment)
      return {
        principal: { app, apiKeyId: member.id, scopes },
        scopes,
        app,
        isPermitted: mayUseApp(member.role, app.environment, scope, { isReading, reveals }),
      }
    },
  }
}

/**
 * A team key, as the HTTP Basic password with the team id as user name, or alone in `Api-Key`.
 *
 * @param change what a member needs for a request that changes something. Default: `write`
 * @param read what a member needs for a request that reads. Default: `read`
 */
export function teamKey(change: TeamAccess = "write", read: TeamAccess = "read"): AuthScheme<TeamPrincipal> {
  return {
    name: "team-key",
    scope: null,
    grants: KEY_GRANTS,
    identify: (headers, services, sender) =>
      andThen(findSentKey(headers, services, sender), (found) => {
        if (found === null) return null
        const { record, secret } = found
        const { id, kind, teamId, scopes } = record
        if (kind !== "team") throw new ForbiddenError("This endpoint needs a team key, not an app's API key.")
        return andThen(services.directory.team(teamId), (team) => {
          if (team === null) throw new UnauthorizedError()
          return {
            principal: { team, apiKeyId: id },
            actor: { type: "team-key", id },
            scopes,
            secret,
            teamId,
            app: null,
            apiKey: record,
          }
        })
      }),
    async forMember({ member, team, appIdInPath, isReading, reveals }, { directory }) {
      const app = appIdInPath === null ? null : await directory.app(appIdInPath)
      const environment = app?.teamId === team.id ? app.environment : null
      return {
        principal: { team, apiKeyId: member.id },
        scopes: [],
        app: null,
        isPermitted: mayManage(member.role, environment, isReading ? read : change, reveals),
      }
    },
  }
}

/** A member's session, which nothing else can replace. */
export function session(): AuthScheme<SessionPrincipal> {
  return {
    name: "session",
    scope: null,
    grants: ["dynamodb:GetItem/keys", "dynamodb:GetItem/config"],
    async identify(headers, services) {
      if ((await findSentKey(headers, services)) === null) return null
      throw new ForbiddenError("This endpoint needs a member's session, not a key.")
    },
    forMember: async ({ member, session, team, reveals }) => ({
      principal: { team, member, session },
      scopes: [],
      app: null,
      isPermitted: REVEALS[reveals].sessions === "any",
    }),
  }
}

/** Finds an app that is enabled. @throws UnauthorizedError when it does not exist or is disabled */
export function findEnabledApp(directory: Directory, id: string): MaybePromise<App> {
  return andThen(directory.app(id), (app) => {
    if (app === null || app.status === "disabled") throw new UnauthorizedError()
    return app
  })
}

/** Valid credentials, and the scheme that accepted them. */
export interface IdentifiedCaller<Principal> {
  readonly identity: Identity<Principal>
  readonly scheme: AuthScheme<Principal>
}

/** How the credentials of each scheme are sent. */
const FORMS: Readonly<Record<AuthScheme<unknown>["name"], string>> = {
  "api-key":
    "an app's API key, as the password of HTTP Basic with the app's id as user name or alone in the header Api-Key",
  "team-key":
    "a team key, as the password of HTTP Basic with the team's id as user name or alone in the header Api-Key",
  "client-side-token": "a client-side token, after Token in the header Authorization",
  "run-token": "a run token, after RunToken in the header Authorization",
  enclave: "an enclave's attestation in the body, with the app's id in the header X-Service-App-Id",
  session: "a member's session, in a cookie",
}

/**
 * Tries each scheme in turn.
 *
 * @param sender who sent the connection's earlier requests. Default: not known
 * @throws UnauthorizedError when the request has no credentials of any of them, or invalid ones; all alike, and listing
 * the accepted forms
 */
export function identify<Principal>(
  schemes: readonly AuthScheme<Principal>[],
  headers: RequestHeaders,
  services: IdentityServices,
  sender: KnownSender | null = null,
): MaybePromise<IdentifiedCaller<Principal>> {
  const refuse = (error: unknown): never => {
    if (!(error instanceof UnauthorizedError)) throw error
    throw new UnauthorizedError(`Use ${schemes.map(({ name }) => FORMS[name]).join("; or ")}.`)
  }
  const tryFrom = (index: number): MaybePromise<IdentifiedCaller<Principal>> => {
    const scheme = schemes[index]
    if (scheme === undefined) throw new UnauthorizedError()
    return andThen(scheme.identify(headers, services, sender), (identity) =>
      identity === null ? tryFrom(index + 1) : { identity, scheme },
    )
  }
  try {
    const identified = tryFrom(0)
    return identified instanceof Promise ? identified.catch(refuse) : identified
  } catch (error) {
    return refuse(error)
  }
}

/** Checks the scope. @throws ForbiddenError when the credentials lack the scope that their scheme requires */
export function authorize<Principal>({ identity, scheme: { scope } }: IdentifiedCaller<Principal>): void {
  if (scope === null || grantsScope(identity.scopes, scope)) return
  throw new ForbiddenError(`The credentials lack the scope ${scope}.`)
}
