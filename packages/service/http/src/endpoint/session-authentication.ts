import {
  hashSessionToken,
  isRandomSecret,
  type Member,
  type Reveals,
  type Roster,
  type Session,
  sessionNote,
} from "@sealway/accounts"
import { ApiError, equalInConstantTime, ForbiddenError, UnauthorizedError } from "@sealway/kernel"
import type { HttpEvent } from "../http-event.ts"
import type { AuthScheme, IdentifiedCaller, IdentityServices } from "./authentication.ts"
import { PAGE_HEADER, requireSameOrigin } from "./same-origin.ts"
import { serviceOriginOf } from "./service-origin.ts"
import { readCookie, sessionCookieName } from "./session-cookie.ts"

/** What identifying members needs. */
export interface MemberServices extends IdentityServices {
  /** See `Configuration`. */
  readonly apiOrigin: string | null
  /** See `Configuration`. */
  readonly dashboardApiUrl: string | null
}

/** The session that a request came with. */
export interface SentSession<Principal> {
  readonly scheme: AcceptingScheme<Principal>
  readonly token: string
  /** Of the pages that may send it. */
  readonly origin: string
}

/** A scheme that accepts sessions. */
type AcceptingScheme<Principal> = AuthScheme<Principal> & Required<Pick<AuthScheme<Principal>, "forMember">>

/**
 * Finds the session cookie of a request. Null when it has none, no scheme accepts it, or the request has other
 * credentials, which come first.
 */
export function findSentSession<Principal>(
  schemes: readonly AuthScheme<Principal>[],
  event: HttpEvent,
  { dashboardApiUrl, apiOrigin }: MemberServices,
): SentSession<Principal> | null {
  const { headers } = event
  const cookies = cookiesOf(event)
  const hasOthers = headers.authorization !== undefined || headers["api-key"] !== undefined
  if (cookies.length === 0 || hasOthers) return null
  const scheme = schemes.find((each): each is AcceptingScheme<Principal> => each.forMember !== undefined)
  if (scheme === undefined) return null
  const { origin } = new URL(dashboardApiUrl ?? apiOrigin ?? serviceOriginOf(headers))
  const name = sessionCookieName(origin)
  const token = name === null ? null : readCookie(cookies, name)
  return token === null ? null : { scheme, token, origin }
}

/** API Gateway lists the cookies; some gateways pass on the header. */
export function cookiesOf({ cookies, headers }: HttpEvent): readonly string[] {
  return cookies ?? headers.cookie?.split(";") ?? []
}

/** A member, and whether their role permits the request. */
export interface IdentifiedMember<Principal> extends IdentifiedCaller<Principal> {
  /** @throws ForbiddenError when the role does not permit the request */
  authorize(): void
}

/**
 * Identifies the member of a session. Nothing is looked up before the request is known to come from the service's own
 * pages.
 *
 * @param reveals what the endpoint reveals
 * @throws ForbiddenError when another site's page may have caused the request
 * @throws UnauthorizedError when the session is malformed, unknown or over, all alike
 */
export async function identifyMember<Principal>(
  { scheme, token, origin }: SentSession<Principal>,
  event: HttpEvent,
  reveals: Reveals,
  services: IdentityServices,
): Promise<IdentifiedMember<Principal>> {
  const { headers, pathParameters, requestContext } = event
  const isReading = ["GET", "HEAD"].includes(requestContext.http.method)
  requireSameOrigin(headers, origin, isReading)
  const { session, member } = await findMember(token, services)
  const team = await services.directory.team(session.teamId)
  if (team === null) throw sessionOver()
  const appId = headers["x-service-app-id"] ?? headers["x-evervault-app-id"] ?? null
  const appIdInPath = pathParameters?.app_id ?? null
  const signedIn = { member, session, team, appId, appIdInPath, isReading, reveals }
  const access = await scheme.forMember(signedIn, services)
  return {
    scheme,
    identity: {
      principal: access.principal,
      actor: { type: "member", id: member.id },
      scopes: access.scopes,
      secret: token,
      teamId: team.id,
      app: access.app,
      apiKey: null,
    },
    authorize() {
      if (!access.isPermitted) {
        const reasons = ["The member's role does not permit this.", sessionNote(reveals)]
        throw new ForbiddenError(reasons.filter((reason) => reason !== null).join(" "))
      }
    },
  }
}

async function findMember(
  token: string,
  { directory, wallClock }: IdentityServices,
): Promise<{ readonly session: Session; readonly member: Member }> {
  if (!isRandomSecret(token)) throw sessionOver()
  const hash = hashSessionToken(token)
  const session = await directory.session(hash)
  if (session === null || !equalInConstantTime(session.hash, hash)) throw sessionOver()
  const roster = await directory.roster(session.teamId, session.rosterRevision)
  const member = memberOf(session, roster, wallClock())
  if (member === null) throw sessionOver()
  return { session, member }
}

/** Returns the member of a session; null when it is over. @param nowMs epoch milliseconds */
export function memberOf(session: Session, roster: Roster | null, nowMs: number): Member | null {
  if (nowMs >= session.endsAt || nowMs >= session.idleUntil) return null
  const member = roster?.members.find(({ id }) => id === session.memberId)
  return member?.generation === session.generation ? member : null
}

function sessionOver(): UnauthorizedError {
  return new UnauthorizedError("Sign in.")
}

/** Names the scheme of sessions instead of `Basic` to pages, so that browsers do not ask for a password. */
export function withoutPasswordPrompt(error: ApiError, event: HttpEvent): ApiError {
  const isOfPage = event.headers[PAGE_HEADER.name] === PAGE_HEADER.value
  if (error.code !== "unauthorized" || !isOfPage) return error
  return new ApiError(error.code, error.message, {
    cause: error.cause,
    headers: { ...error.headers, "www-authenticate": 'Session realm="sealway"' },
  })
}
