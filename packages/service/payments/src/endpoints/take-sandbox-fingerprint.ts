import { endpoint, idParameter } from "@sealway/http"
import { KB, NotFoundError } from "@sealway/kernel"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { methodPage } from "../networks/sandbox/three-d-secure/method-page.ts"
import { sandboxApp } from "../networks/sandbox/three-d-secure/serve-challenge.ts"

const MAX_FORM_BYTES = 8 * KB

/** The `threeDSMethodURL` of the sandbox's issuer. */
export const takeSandboxFingerprint = endpoint({
  id: "take-sandbox-fingerprint",
  method: "POST",
  path: "/sandbox/3ds/methods/{app_id}",
  tag: "3D Secure",
  summary: "Take a browser's fingerprint in the sandbox",
  description:
    "The `threeDSMethodURL` of the sandbox's issuer: a hidden frame posts `threeDSMethodData` here. No fingerprint is taken; the page posts back at once.",
  auth: [],
  reveals: "nothing",
  request: {
    path: z.object({ app_id: idParameter("app", "Id of a sandbox app") }),
    body: {
      kind: "form",
      schema: z.object({ threeDSMethodData: z.string().describe("In base64url") }),
      maxBytes: MAX_FORM_BYTES,
    },
  },
  status: 200,
  reply: { kind: "document", formats: ["page"], description: "A page that posts back" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config"],
  async answer({ path, body, serviceOrigin }, { directory }: PaymentDependencies) {
    const app = await sandboxApp({ directory }, path.app_id)
    if (app === null) throw new NotFoundError("The sandbox has no such app.")
    return methodPage(app, body.threeDSMethodData, serviceOrigin)
  },
})
