import type { App } from "./app-table.ts"
import { grantsScope, SCOPES, type Scope } from "./scopes.ts"

/** The roles of members, the most powerful one first. */
export const MEMBER_ROLES = ["owner", "admin", "developer", "auditor"] as const

export type MemberRole = (typeof MEMBER_ROLES)[number]

/**
 * What a member may do with a team, or with an app as its team does: `read` shows everything but keys, `write` changes
 * everything but members and team keys, `own` changes those too.
 */
export type TeamAccess = "read" | "write" | "own"

const TEAM_ACCESS: readonly TeamAccess[] = ["read", "write", "own"]

/** What a role may do with apps of one environment. */
interface EnvironmentAccess {
  readonly scopes: readonly (Scope | "*")[]
  /** What it may do with the app as its team does, such as issuing API keys. */
  readonly team: TeamAccess
}

interface RoleAccess {
  readonly team: TeamAccess
  readonly sandbox: EnvironmentAccess
  readonly production: EnvironmentAccess
}

/** The scopes of endpoints that return or use decrypted values, or results made of them. They need an API key. */
export const NEVER_BY_SESSION: readonly Scope[] = [
  "api:decrypt",
  "api:rewrap",
  "function:run",
  "functionRun:read",
  "card:create",
  "networkToken:create",
  "networkToken:createCryptogram",
  "accountUpdater:subscribe",
  "retryEnrolment:create",
  "insights:create",
  "binLookup:create",
  "parLookup:create",
  "threeDSSession:create",
  "honeyToken:create",
  // Completing a file opens its header with the app's private keys.
  "file:create",
]

/** With encryption, a fingerprint lets its caller test guesses, so members get none of real data. */
const NEVER_IN_PRODUCTION: readonly Scope[] = ["api:fingerprint", "api:inspect"]

/** Shows a secret. */
const NOT_FOR_READERS: readonly Scope[] = ["callbackSecret:read"]

const READING = SCOPES.filter((scope) => /:(read|list)$/.test(scope) && !NOT_FOR_READERS.includes(scope))

const ALL: EnvironmentAccess = { scopes: ["*"], team: "write" }
const READ: EnvironmentAccess = { scopes: READING, team: "read" }

/** What each role may do: the only place that says so. Scopes of `NEVER_BY_SESSION` are left out of all of them. */
const ACCESS: Readonly<Record<MemberRole, RoleAccess>> = {
  owner: { team: "own", sandbox: { ...ALL, team: "own" }, production: { ...ALL, team: "own" } },
  admin: { team: "write", sandbox: ALL, production: ALL },
  developer: { team: "read", sandbox: ALL, production: READ },
  auditor: { team: "read", sandbox: READ, production: READ },
}

/** Returns the scopes of a role in apps of an environment, each by its own name. */
export function scopesOfRole(role: MemberRole, environment: App["environment"]): readonly Scope[] {
  return SCOPES.filter((scope) => hasScope(role, environment, scope))
}

function hasScope(role: MemberRole, environment: App["environment"], scope: Scope): boolean {
  return (
    grantsScope(ACCESS[role][environment].scopes, scope) &&
    !NEVER_BY_SESSION.includes(scope) &&
    !(environment === "production" && NEVER_IN_PRODUCTION.includes(scope))
  )
}

/**
 * True when a role may call an app's endpoint. Without a scope, whoever has full access to the app may, and everybody may
 * read. Scopes that include others do not count here: each is in the table by its own name.
 */
export function mayUseApp(
  role: MemberRole,
  environment: App["environment"],
  scope: Scope | null,
  isReading: boolean,
): boolean {
  if (scope !== null) return hasScope(role, environment, scope)
  return isReading || ACCESS[role][environment].team !== "read"
}

/** True when a role may act on the team, or on an app as its team does. @param environment null for the team itself */
export function mayManage(
  role: MemberRole,
  environment: App["environment"] | null,
  needed: TeamAccess,
): boolean {
  const access = environment === null ? ACCESS[role].team : ACCESS[role][environment].team
  return TEAM_ACCESS.indexOf(access) >= TEAM_ACCESS.indexOf(needed)
}
