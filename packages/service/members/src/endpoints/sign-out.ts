import { findSession, hashSessionToken, isRandomSecret } from "@sealway/accounts"
import { endpoint, readCookie, requireSameOrigin, sessionCookieName, setCookie } from "@sealway/http"
import type { MemberDependencies } from "../dependencies.ts"
import { revokeSession } from "../sessions/manage-sessions.ts"
import { SESSION_GRANTS } from "../sessions/start-session.ts"
import { pageHeadersSchema } from "./page-headers.ts"

export const signOut = endpoint({
  id: "sign-out",
  method: "POST",
  path: "/sign-out",
  tag: "Members",
  summary: "Sign out",
  description:
    "Revokes the session of the cookie, everywhere within 10 seconds, and removes the cookie, also if the session is over already.",
  auth: [],
  reveals: "nothing",
  request: { headers: pageHeadersSchema },
  status: 204,
  reply: { kind: "none", description: "The session is over" },
  errors: ["forbidden"],
  grants: SESSION_GRANTS,
  async answer({ headers, cookies, caller, browserUrl }, dependencies: MemberDependencies) {
    requireSameOrigin(headers, new URL(browserUrl).origin, false)
    const name = sessionCookieName(browserUrl)
    if (name === null) return { body: null }
    const token = readCookie(cookies, name)
    const session =
      token !== null && isRandomSecret(token)
        ? await findSession(dependencies.keysTable, hashSessionToken(token))
        : null
    if (session !== null) {
      const { ip, requestId } = caller
      const author = { actor: { type: "member", id: session.memberId } as const, ip, requestId }
      await revokeSession(dependencies, session.teamId, session, author)
    }
    return {
      body: null,
      headers: { "set-cookie": setCookie(name, "", { maxAgeSeconds: 0, sameSite: "Strict" }) },
    }
  },
})
