import { endpoint } from "@sealway/http"
import { KB } from "@sealway/kernel"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { openChallenge } from "../networks/sandbox/three-d-secure/answer-browser.ts"
import { challengePathSchema, challengeServing, sessionDataSchema } from "./sandbox-challenge-parameters.ts"
import { SESSION_GRANTS } from "./session-grants.ts"

const MAX_FORM_BYTES = 128 * KB

/** The `acsURL` of the sandbox's issuer. */
export const openSandboxChallenge = endpoint({
  id: "open-sandbox-challenge",
  method: "POST",
  path: "/sandbox/3ds/challenges/{capability}",
  tag: "3D Secure",
  summary: "Show a sandbox challenge",
  description:
    "The `acsURL` of the sandbox's issuer: a browser posts the CReq of a challenge here and gets a page with a one-time code, and buttons to succeed, fail and cancel.",
  auth: [],
  reveals: "nothing",
  request: {
    path: challengePathSchema,
    body: {
      kind: "form",
      schema: z.object({
        creq: z.string().describe("The CReq, in base64url"),
        threeDSSessionData: sessionDataSchema,
      }),
      maxBytes: MAX_FORM_BYTES,
    },
  },
  status: 200,
  reply: { kind: "document", formats: ["page"], description: "The page of the challenge" },
  errors: ["not-found"],
  grants: SESSION_GRANTS,
  answer: ({ path, body: { creq, ...rest } }, dependencies: PaymentDependencies) =>
    openChallenge(challengeServing(dependencies), { ...path, ...rest }, creq),
})
