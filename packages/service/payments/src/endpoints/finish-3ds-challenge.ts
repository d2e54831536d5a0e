import { MAX_PAYMENT_BYTES } from "@sealway/bins"
import { endpoint } from "@sealway/http"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { finishPage } from "../three-d-secure-sessions/browser/finish-page.ts"
import { requireBrowserApp, takeChallengeResponse } from "../three-d-secure-sessions/browser/take-part.ts"
import { findSessionOfTransaction } from "../three-d-secure-sessions/record/session-table.ts"
import { SESSION_GRANTS } from "./session-grants.ts"
import { transactionPathSchema } from "./three-d-secure-parameters.ts"

export const finish3dsChallenge = endpoint({
  id: "finish-3ds-challenge",
  method: "POST",
  path: "/frontend/3ds/notifications/{app_id}/{transaction_id}",
  tag: "3D Secure",
  summary: "Return a browser from a challenge",
  description:
    "The `notificationURL` of EMV 3-D Secure: the issuer's page sends the browser here. The page posts `{event: \"ev-3ds-trampoline\", cres}` to its parent page, if that page has Sealway's own origin or one of the app's `allowedOrigins`. The `cres` proves nothing.",
  auth: [],
  reveals: "nothing",
  request: {
    path: transactionPathSchema,
    body: {
      kind: "form",
      schema: z.object({ cres: z.string().optional() }),
      maxBytes: 2 * MAX_PAYMENT_BYTES,
    },
  },
  status: 200,
  reply: { kind: "document", formats: ["page"], description: "The page" },
  errors: ["not-found"],
  grants: SESSION_GRANTS,
  async answer({ path, body, serviceOrigin }, dependencies: PaymentDependencies) {
    const app = await requireBrowserApp(dependencies, path.app_id)
    const session = await findSessionOfTransaction(dependencies, app, path.transaction_id)
    const { cres = null } = body
    if (session !== null && cres !== null) await takeChallengeResponse(dependencies, app, session, cres)
    return finishPage(app, session?.details.serviceOrigin ?? serviceOrigin, cres)
  },
})
