import { cookieName, endpoint, readCookie, sessionCookieName, setCookie } from "@sealway/http"
import * as z from "zod"
import type { OidcDependencies } from "../dependencies.ts"
import { SESSION_GRANTS, SESSION_MS, startSession } from "../sessions/start-session.ts"
import { finishSignIn } from "../sign-in/finish-sign-in.ts"
import { failureUrl, redirectUriOf, requireProvider, signedInUrl } from "../sign-in/oidc-addresses.ts"
import { SIGN_IN_COOKIE } from "../sign-in/sign-in-secrets.ts"

const parameter = z.string().max(4096).optional()

export const finishOidcSignIn = endpoint({
  id: "finish-oidc-sign-in",
  method: "GET",
  path: "/sign-in/oidc/callback",
  tag: "Members",
  summary: "Come back from the identity provider",
  description:
    "For browsers: register this address with the provider. Sets the session's cookie, and leads to the service's own page in any case.",
  auth: [],
  reveals: "nothing",
  request: {
    query: z.object({ code: parameter, state: parameter, iss: parameter, error: parameter }),
    headers: z.object({ "user-agent": z.string().optional().describe("Shown in the list of sessions") }),
  },
  status: 303,
  reply: { kind: "none", description: "To the service's own page" },
  replyHeaders: { location: "The service's own page" },
  errors: ["forbidden"],
  grants: ["dynamodb:GetItem/config", "dynamodb:PutItem/events", ...SESSION_GRANTS],
  async answer({ query, headers, cookies, caller, browserUrl, task }, dependencies: OidcDependencies) {
    const { idp, cookieName: name } = requireProvider(
      dependencies.provider,
      cookieName(browserUrl, SIGN_IN_COOKIE),
    )
    const answer = new URL(redirectUriOf(browserUrl))
    for (const [key, value] of Object.entries(query)) {
      if (value !== undefined) answer.searchParams.set(key, value)
    }
    const outcome = await finishSignIn(dependencies, idp, readCookie(cookies, name), answer, caller, task)
    const removal = setCookie(name, "", { maxAgeSeconds: 0, sameSite: "Lax" })
    const session = sessionCookieName(browserUrl)
    if (typeof outcome === "string" || session === null) {
      const failure = typeof outcome === "string" ? outcome : "failed"
      return { body: null, headers: { location: failureUrl(browserUrl, failure) }, cookies: [removal] }
    }
    const { token } = await startSession(dependencies, outcome, caller, headers["user-agent"] ?? "")
    const set = setCookie(session, token, { maxAgeSeconds: SESSION_MS / 1000, sameSite: "Strict" })
    return {
      body: null,
      headers: { location: signedInUrl(browserUrl, dependencies.signIn) },
      cookies: [removal, set],
    }
  },
})
