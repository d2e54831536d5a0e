import { endpoint } from "@sealway/http"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { openSessionPage } from "../three-d-secure-sessions/browser/open-session-page.ts"
import { capabilityParameter } from "./three-d-secure-parameters.ts"

export const open3dsPage = endpoint({
  id: "open-3ds-page",
  method: "GET",
  path: "/frontend/3ds/pages/{token}",
  tag: "3D Secure",
  summary: "Show a cardholder the page of a 3-D Secure session",
  description:
    "A session's `nextAction.url` leads to this page. Open it in a separate window, or in a frame of a page with one of the app's `allowedOrigins`. When the session ends, it posts `{event: \"ev-3ds-trampoline\", cres}` to its parent page.",
  auth: [],
  reveals: "nothing",
  request: { path: z.object({ token: capabilityParameter("Opens the session, once") }) },
  status: 200,
  reply: { kind: "document", formats: ["page"], description: "The page" },
  errors: [],
  grants: [
    "dynamodb:GetItem/config",
    "dynamodb:Query/keys",
    "dynamodb:GetItem/payments",
    "kms:Decrypt/secret",
  ],
  answer: ({ path }, dependencies: PaymentDependencies) => openSessionPage(dependencies, path.token),
})
