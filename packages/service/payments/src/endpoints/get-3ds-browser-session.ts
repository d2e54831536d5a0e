import { endpoint } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { browserSessionSchema } from "../three-d-secure-sessions/browser/browser-request.ts"
import { showBrowserSession } from "../three-d-secure-sessions/browser/show-browser-session.ts"
import { requireBrowserApp, requireBrowserSession } from "../three-d-secure-sessions/browser/take-part.ts"
import { SESSION_GRANTS } from "./session-grants.ts"
import { appIdOf, browserHeadersSchema, sessionPathSchema } from "./three-d-secure-parameters.ts"

export const get3dsBrowserSession = endpoint({
  id: "get-3ds-browser-session",
  method: "GET",
  path: "/frontend/3ds/browser-sessions/{session_id}",
  tag: "3D Secure",
  summary: "Get a 3-D Secure session's state for a browser",
  description:
    "Called by the cardholder's browser, without a key: who knows the session's id takes part in it.",
  auth: [],
  reveals: "nothing",
  request: { path: sessionPathSchema, headers: browserHeadersSchema },
  status: 200,
  reply: { kind: "object", schema: browserSessionSchema, description: "The status and the next action" },
  errors: ["not-found"],
  grants: SESSION_GRANTS,
  async answer({ path, headers }, dependencies: PaymentDependencies) {
    const app = await requireBrowserApp(dependencies, appIdOf(headers))
    return { body: showBrowserSession(await requireBrowserSession(dependencies, app, path.session_id)) }
  },
})
