import { MAX_PAYMENT_BYTES } from "@sealway/bins"
import { endpoint } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import {
  browserRequestSchema,
  browserSessionSchema,
} from "../three-d-secure-sessions/browser/browser-request.ts"
import { showBrowserSession } from "../three-d-secure-sessions/browser/show-browser-session.ts"
import {
  requireBrowserApp,
  requireBrowserSession,
  takeBrowserStep,
} from "../three-d-secure-sessions/browser/take-part.ts"
import { SESSION_GRANTS } from "./session-grants.ts"
import { appIdOf, browserFactsSchema, sessionPathSchema } from "./three-d-secure-parameters.ts"

export const update3dsBrowserSession = endpoint({
  id: "update-3ds-browser-session",
  method: "PATCH",
  path: "/frontend/3ds/browser-sessions/{session_id}",
  tag: "3D Secure",
  summary: "Advance a 3-D Secure session",
  description:
    "Called by the cardholder's browser, without a key: first with the browser data that issuers require, then with the outcome of the fingerprint and of the challenge. Only the issuer can make a session succeed; the browser can only end it. Repeating a step changes nothing.",
  auth: [],
  reveals: "nothing",
  request: {
    path: sessionPathSchema,
    headers: browserFactsSchema,
    body: { kind: "object", schema: browserRequestSchema, maxBytes: 2 * MAX_PAYMENT_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: browserSessionSchema, description: "The status and the next action" },
  errors: ["not-found"],
  grants: SESSION_GRANTS,
  async answer({ path, headers, body, caller }, dependencies: PaymentDependencies) {
    const app = await requireBrowserApp(dependencies, appIdOf(headers))
    const session = await requireBrowserSession(dependencies, app, path.session_id)
    const facts = {
      acceptHeader: headers.accept,
      acceptLanguage: headers["accept-language"],
      userAgent: headers["user-agent"],
      ip: caller.ip,
    }
    return { body: showBrowserSession(await takeBrowserStep(dependencies, app, session, body, facts)) }
  },
})
