import { endpoint, requireSameOrigin, sessionCookieName, setCookie } from "@sealway/http"
import { ForbiddenError, UnauthorizedError } from "@sealway/kernel"
import * as z from "zod"
import type { MemberDependencies } from "../dependencies.ts"
import { SESSION_GRANTS, SESSION_MS, startSession } from "../sessions/start-session.ts"
import { requireLinks, useSignInLink as use } from "../sign-in/sign-in-link.ts"
import { MAX_PARAMETER_BYTES, memberSchema, showMember } from "./member-schema.ts"
import { pageHeadersSchema } from "./page-headers.ts"

export const useSignInLink = endpoint({
  id: "use-sign-in-link",
  method: "POST",
  path: "/sign-in/link",
  tag: "Members",
  summary: "Sign in with a link",
  description:
    "Called by the page of a sign-in link. Sets the session's cookie. Unknown, used and expired codes are refused alike.",
  auth: [],
  reveals: "nothing",
  request: {
    headers: pageHeadersSchema.extend({
      "user-agent": z.string().optional().describe("Shown in the list of sessions"),
    }),
    body: {
      kind: "object",
      schema: z.strictObject({ code: z.string().max(100) }),
      maxBytes: MAX_PARAMETER_BYTES,
    },
  },
  status: 200,
  reply: { kind: "object", schema: memberSchema, description: "The member who is now signed in" },
  errors: ["unauthorized", "forbidden"],
  grants: ["dynamodb:GetItem/events", "dynamodb:PutItem/events", ...SESSION_GRANTS],
  async answer({ headers, body, caller, browserUrl }, dependencies: MemberDependencies) {
    requireLinks(dependencies.signIn)
    requireSameOrigin(headers, new URL(browserUrl).origin, false)
    const cookie = sessionCookieName(browserUrl)
    if (cookie === null)
      throw new ForbiddenError("Sign in over HTTPS, or on the machine itself at localhost.")
    const admission = await use(dependencies, body.code)
    if (admission === null) throw new UnauthorizedError("The link is unknown, was used, or has expired.")
    const { token } = await startSession(dependencies, admission, caller, headers["user-agent"] ?? "")
    const set = setCookie(cookie, token, { maxAgeSeconds: SESSION_MS / 1000, sameSite: "Strict" })
    return { body: showMember(admission.member), headers: { "set-cookie": set } }
  },
})
