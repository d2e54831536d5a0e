import { endpoint, session } from "@sealway/http"
import * as z from "zod"
import type { MemberDependencies } from "../dependencies.ts"
import { renewSession as renew } from "../sessions/manage-sessions.ts"

const replySchema = z
  .object({
    idleUntil: z.int().describe("Epoch milliseconds: the session is over then, unless it is renewed"),
  })
  .meta({ id: "RenewedSession" })

export const renewSession = endpoint({
  id: "renew-session",
  method: "POST",
  path: "/session/renew",
  tag: "Members",
  summary: "Keep the current session from becoming idle",
  description:
    "A session is over when it was not renewed for an hour, and 12 hours after it began in any case. A page calls this while somebody uses it; more often than every 5 minutes changes nothing.",
  auth: [session()],
  reveals: "nothing",
  status: 200,
  reply: { kind: "object", schema: replySchema, description: "Until when the session lasts" },
  errors: [],
  grants: ["dynamodb:GetItem/keys", "dynamodb:PutItem/keys"],
  async answer({ principal: { session } }, dependencies: MemberDependencies) {
    return { body: { idleUntil: await renew(dependencies, session) } }
  },
})
