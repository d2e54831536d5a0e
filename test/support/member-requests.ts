import { randomUUID } from "node:crypto"
import { admitMember, createSignInLink, startSession } from "@sealway/members"
import { SYSTEM } from "@sealway/records"
import type { GrantRequests, Prerequisites } from "./grant-request.ts"

const CALLER = { ip: "127.0.0.1", requestId: "request-1" }
/** The requests have no Host. */
const PAGE = { origin: "http://localhost", "x-requested-with": "sealway" }

/** Requests of each endpoint of packages/service/members. */
export const MEMBER_REQUESTS: GrantRequests = {
  "list-members": () => ({ auth: "team" }),
  "get-member": async (given) => ({ auth: "team", path: await prepareMember(given) }),
  "update-member": async (given) => ({
    auth: "team",
    path: await prepareMember(given),
    body: { role: "developer" },
  }),
  "delete-member": async (given) => {
    await prepareMember(given, "owner")
    const { member_id } = await prepareSession(given)
    return { auth: "team", path: { member_id } }
  },
  "create-invitation": () => ({ auth: "team", body: { email: "a@example.com", role: "auditor" } }),
  "list-invitations": () => ({ auth: "team" }),
  "revoke-invitation": async (given) => {
    const body = { email: "a@example.com", role: "auditor" }
    const { id = "" } = await given.prepare("create-invitation", { auth: "team", body })
    return { auth: "team", path: { invitation_id: id } }
  },
  "list-member-sessions": async (given) => {
    const { member_id } = await prepareSession(given)
    return { auth: "team", path: { member_id } }
  },
  "revoke-member-session": async (given) => {
    const { member_id, session_id } = await prepareSession(given)
    return { auth: "team", path: { member_id, session_id } }
  },
  "get-session": async (given) => bySession(await prepareSession(given)),
  "renew-session": async (given) => bySession(await prepareSession(given, 30 * 60_000)),
  "sign-out": async (given) => bySession(await prepareSession(given)),
  "list-sessions": async (given) => bySession(await prepareSession(given)),
  "revoke-session": async (given) => {
    const other = await prepareSession(given)
    const mine = await prepareSession(given, 0, other.subject)
    return { ...bySession(mine), path: { session_id: other.session_id } }
  },
  "create-sign-in-link": () => ({ auth: "team" }),
  "open-sign-in-page": () => ({ auth: "nobody" }),
  "start-oidc-sign-in": () => ({ auth: "nobody", status: 403 }),
  "finish-oidc-sign-in": () => ({ auth: "nobody", status: 403 }),
  "use-sign-in-link": async ({ platform, team }) => {
    const { code } = await createSignInLink(platform, team.id, SYSTEM)
    return { auth: "nobody", headers: PAGE, body: { code }, repeatedStatus: 401 }
  },
}

interface PreparedSession {
  readonly member_id: string
  readonly session_id: string
  readonly cookie: string
  readonly subject: string
}

const bySession = ({ cookie }: PreparedSession) => ({ auth: "nobody", headers: { ...PAGE, cookie } }) as const

async function prepareMember(given: Prerequisites, role = "auditor"): Promise<Record<string, string>> {
  return { member_id: (await admit(given, randomUUID(), role)).member.id }
}

async function admit(given: Prerequisites, subject: string, role: string) {
  const { platform, team } = given
  const identity = {
    issuer: "https://login.example",
    subject,
    email: `${subject}@example.com`,
    isEmailVerified: true,
    name: null,
  }
  const known = await admitMember(platform, team.id, identity, CALLER)
  if (known !== null) return known
  await given.prepare("create-invitation", { auth: "team", body: { email: identity.email, role } })
  const admission = await admitMember(platform, team.id, identity, CALLER)
  if (admission === null) throw new Error("The member is not admitted")
  return admission
}

/** @param ageMs how long ago it began */
async function prepareSession(
  given: Prerequisites,
  ageMs = 0,
  subject: string = randomUUID(),
): Promise<PreparedSession> {
  const admission = await admit(given, subject, "owner")
  const past = { ...given.platform, wallClock: () => given.platform.wallClock() - ageMs }
  const { session, token } = await startSession(past, admission, CALLER, "Browser")
  return {
    member_id: admission.member.id,
    session_id: session.id,
    cookie: `sealway_session=${token}`,
    subject,
  }
}
