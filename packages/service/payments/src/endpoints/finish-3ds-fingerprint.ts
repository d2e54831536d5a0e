import { MAX_PAYMENT_BYTES } from "@sealway/bins"
import { endpoint } from "@sealway/http"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { finishPage } from "../three-d-secure-sessions/browser/finish-page.ts"
import { requireBrowserApp } from "../three-d-secure-sessions/browser/take-part.ts"
import { transactionPathSchema } from "./three-d-secure-parameters.ts"

export const finish3dsFingerprint = endpoint({
  id: "finish-3ds-fingerprint",
  method: "POST",
  path: "/frontend/3ds/fingerprints/{app_id}/{transaction_id}",
  tag: "3D Secure",
  summary: "Return a browser from a fingerprint",
  description:
    'The `threeDSMethodNotificationURL` of EMV 3-D Secure: the issuer\'s page sends the hidden frame here when it is done. The page posts `{event: "ev-3ds-trampoline", cres: null}` to its parent page.',
  auth: [],
  reveals: "nothing",
  request: {
    path: transactionPathSchema,
    body: { kind: "form", schema: z.object({}), maxBytes: MAX_PAYMENT_BYTES },
  },
  status: 200,
  reply: { kind: "document", formats: ["page"], description: "The page" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config"],
  async answer({ path, serviceOrigin }, dependencies: PaymentDependencies) {
    return finishPage(await requireBrowserApp(dependencies, path.app_id), serviceOrigin, null)
  },
})
