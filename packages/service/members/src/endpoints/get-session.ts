import { type MemberRole, scopesOfRole } from "@sealway/accounts"
import { endpoint, session } from "@sealway/http"
import * as z from "zod"
import { memberSchema, sessionSchema, showMember, showSession } from "./member-schema.ts"

const replySchema = z
  .object({
    session: sessionSchema,
    member: memberSchema,
    team: z.object({ id: z.string(), name: z.string() }),
    scopes: z
      .object({ sandbox: z.array(z.string()), production: z.array(z.string()) })
      .describe("The scopes of the member's role in apps of each environment"),
  })
  .meta({ id: "CurrentSession" })

export const getSession = endpoint({
  id: "get-session",
  method: "GET",
  path: "/session",
  tag: "Members",
  summary: "Get the current session",
  description: "Who is signed in, and what their role permits.",
  auth: [session()],
  reveals: "nothing",
  status: 200,
  reply: { kind: "object", schema: replySchema, description: "The session" },
  errors: [],
  grants: [],
  answer: ({ principal: { session, member, team } }) => ({
    body: {
      session: showSession(session),
      member: showMember(member),
      team: { id: team.id, name: team.name },
      scopes: { sandbox: scopesOf(member.role, "sandbox"), production: scopesOf(member.role, "production") },
    },
  }),
})

const scopesOf = (role: MemberRole, environment: "sandbox" | "production"): string[] => [
  ...scopesOfRole(role, environment),
]
