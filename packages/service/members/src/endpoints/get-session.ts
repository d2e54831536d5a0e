import { type MemberRole, scopesOfRole } from "@sealway/accounts"
import { readingEndpoint, session } from "@sealway/http"
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

export const getSession = readingEndpoint({
  id: "get-session",
  path: "/session",
  tag: "Members",
  summary: "Get the current session",
  description: "Who is signed in, and what their role permits.",
  auth: [session()],
  schema: replySchema,
  reply: "The session",
  grants: [],
  read: ({ principal: { session, member, team } }) => ({
    session: showSession(session),
    member: showMember(member),
    team: { id: team.id, name: team.name },
    scopes: { sandbox: scopesOf(member.role, "sandbox"), production: scopesOf(member.role, "production") },
  }),
})

const scopesOf = (role: MemberRole, environment: "sandbox" | "production"): string[] => [
  ...scopesOfRole(role, environment),
]
