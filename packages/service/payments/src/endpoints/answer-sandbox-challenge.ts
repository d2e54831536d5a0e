import { endpoint } from "@sealway/http"
import { KB } from "@sealway/kernel"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { answerChallenge } from "../networks/sandbox/three-d-secure/answer-browser.ts"
import { challengePathSchema, challengeServing, sessionDataSchema } from "./sandbox-challenge-parameters.ts"
import { SESSION_GRANTS } from "./session-grants.ts"

const MAX_FORM_BYTES = 8 * KB

export const answerSandboxChallenge = endpoint({
  id: "answer-sandbox-challenge",
  method: "POST",
  path: "/sandbox/3ds/challenges/{capability}/answers",
  tag: "3D Secure",
  summary: "Answer a sandbox challenge",
  description:
    "The challenge page posts its form here. Once the challenge is decided, the 3DS server has received the results, and the returned page sends the browser back with the CRes.",
  auth: [],
  reveals: "nothing",
  request: {
    path: challengePathSchema,
    body: {
      kind: "form",
      schema: z.object({
        action: z.enum(["code", "succeed", "fail", "cancel", "leave"]),
        code: z.string().max(10).default("").describe("With the action `code`"),
        threeDSSessionData: sessionDataSchema,
      }),
      maxBytes: MAX_FORM_BYTES,
    },
  },
  status: 200,
  reply: {
    kind: "document",
    formats: ["page"],
    description: "The page again, or the page that sends the browser back",
  },
  errors: ["not-found"],
  grants: SESSION_GRANTS,
  answer: ({ path, body: { action, code, ...rest } }, dependencies: PaymentDependencies) =>
    answerChallenge(
      challengeServing(dependencies),
      { ...path, ...rest },
      action === "code" ? { type: action, code } : { type: action },
    ),
})
