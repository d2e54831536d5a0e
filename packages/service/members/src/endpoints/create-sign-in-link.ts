import { endpoint, teamKey } from "@sealway/http"
import { TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { MemberDependencies } from "../dependencies.ts"
import { createSignInLink as create, requireLinks, signInUrl } from "../sign-in/sign-in-link.ts"

const replySchema = z
  .object({
    url: z.string().describe("Open it in a browser. It works once, and is shown only here"),
    expiresAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "SignInLink" })

export const createSignInLink = endpoint({
  id: "create-sign-in-link",
  method: "POST",
  path: "/sign-in-links",
  tag: "Members",
  summary: "Create a link that signs in as owner",
  description:
    "For a service on one machine, where whoever has the team key is the owner. The link works once, within 5 minutes. In a deployment it is refused with `forbidden`: members sign in with the identity provider.",
  auth: [teamKey("own")],
  reveals: "secrets",
  writes: true,
  status: 201,
  reply: { kind: "object", schema: replySchema, description: "The link" },
  errors: ["conflict"],
  grants: ["dynamodb:GetItem/keys", "dynamodb:PutItem/keys", ...TEAM_AUDIT_GRANTS],
  async answer({ principal: { team }, caller, browserUrl }, dependencies: MemberDependencies) {
    requireLinks(dependencies.signIn)
    const { code, expiresAt } = await create(dependencies, team.id, authorOf(caller))
    return { body: { url: signInUrl(browserUrl, code), expiresAt } }
  },
})
