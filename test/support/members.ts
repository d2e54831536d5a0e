import { hash, randomUUID } from "node:crypto"
import { findRoster, listSessions, type MemberRole } from "@sealway/accounts"
import { createApp, createTeam } from "@sealway/management"
import { admitMember, startSession } from "@sealway/members"
import { SYSTEM } from "@sealway/records"
import * as z from "zod"
import type { Answer, CallOptions, TestService } from "./service.ts"

/** Members of a service's team, and what their browsers send. */
export interface Members {
  /** Creates a sign-in link, and returns its code. */
  newCode(): Promise<string>
  /** Uses a link as its page does, with other headers on top. An empty header is not sent. */
  useLink(
    code: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly answer: Answer; readonly cookie: string }>
  /** Adds a member and signs them in. @param email Default: a new one. @returns the cookie */
  signIn(role: MemberRole, headers?: Readonly<Record<string, string>>, email?: string): Promise<string>
  /** Signs a member in on another browser. @param cookie of the member; null when the id is given */
  signInAgain(cookie: string | null, id?: string): Promise<string>
  idOf(cookie: string): Promise<string>
  /** What a page of the service sends. @param appId the app that it is about */
  by(cookie: string, appId?: string): CallOptions
  storedSessions(): Promise<unknown>
  /** Creates an app of another team. @returns its id */
  foreignApp(): Promise<string>
  /** Leaves only these many owners. @returns their ids */
  onlyOwners(count: number): Promise<readonly string[]>
}

const linkSchema = z.object({ url: z.string() })
const sessionSchema = z.object({ member: z.object({ id: z.string() }) })

export function createMembers(service: TestService): Members {
  const { platform } = service.service
  const caller = { ip: "127.0.0.1", requestId: "request-1" }
  const identities = new Map<string, string>()
  const asTeam = { auth: service.team.auth }

  const by = (cookie: string, appId?: string): CallOptions => ({
    auth: null,
    headers: {
      cookie,
      origin: service.url,
      "sec-fetch-site": "same-origin",
      "x-requested-with": "sealway",
      ...(appId !== undefined && { "x-service-app-id": appId }),
    },
  })
  const start = async (subject: string, email: string, userAgent: string) => {
    const identity = { issuer: "https://login.example", subject, email, isEmailVerified: true, name: null }
    const admission = await admitMember(platform, service.team.id, identity, caller)
    if (admission === null) throw new Error("The member is not admitted")
    identities.set(admission.member.id, JSON.stringify([subject, email]))
    return `sealway_session=${(await startSession(platform, admission, caller, userAgent)).token}`
  }
  const signIn: Members["signIn"] = async (
    role,
    { "user-agent": userAgent = "" } = {},
    email = `${randomUUID()}@members.example`,
  ) => {
    const invited = await service.post("/invitations", { email, role }, asTeam)
    if (invited.status !== 201) throw new Error(`Nobody is invited: ${invited.text}`)
    return start(hash("sha256", email), email, userAgent)
  }
  const idOf: Members["idOf"] = async (cookie) =>
    sessionSchema.parse((await service.get("/session", by(cookie))).json).member.id
  return {
    by,
    signIn,
    idOf,
    async newCode() {
      const { url } = linkSchema.parse((await service.post("/sign-in-links", undefined, asTeam)).json)
      return url.split("#code=")[1] ?? ""
    },
    async useLink(code, changed = {}) {
      const headers = Object.fromEntries(
        Object.entries({ ...by("").headers, ...changed }).filter(([, value]) => value !== ""),
      )
      const answer = await service.post("/sign-in/link", { code }, { auth: null, headers })
      return { answer, cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "" }
    },
    async signInAgain(cookie, known) {
      const id = known ?? (await idOf(cookie ?? ""))
      const [subject = "", email = ""] = z.array(z.string()).parse(JSON.parse(identities.get(id) ?? "[]"))
      return start(subject, email, "")
    },
    async storedSessions() {
      const roster = await findRoster(platform.keysTable, service.team.id)
      return Promise.all((roster?.members ?? []).map(({ id }) => listSessions(platform.keysTable, id)))
    },
    async foreignApp() {
      const team = await createTeam(platform, "Others", SYSTEM)
      return (await createApp(platform, team.id, { name: "Theirs", environment: "sandbox" }, SYSTEM)).id
    },
    async onlyOwners(count) {
      const ids: string[] = []
      while (ids.length < count) ids.push(await idOf(await signIn("owner")))
      const roster = await findRoster(platform.keysTable, service.team.id)
      for (const { id, role } of roster?.members ?? []) {
        if (role === "owner" && !ids.includes(id)) await service.delete(`/members/${id}`, asTeam)
      }
      return ids
    },
  }
}
