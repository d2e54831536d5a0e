import type { App } from "./app-table.ts"
import { isForSession, REVEALS, type Reveals, type SessionRule } from "./reveals.ts"
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

/**
 * The strictest rule for what the endpoints of each scope reveal; `any` for the others. It follows from the endpoints'
 * declarations, from which `test/api/scopes.test.ts` derives it. It is written out because a function has the
 * declaration of its own endpoint only. What an endpoint itself reveals counts whatever this table says.
 */
const SESSION_RULES: ReadonlyMap<Scope, SessionRule> = new Map([
  ["api:decrypt", "never"],
  ["api:fingerprint", "sandbox"],
  ["api:inspect", "sandbox"],
  ["api:rewrap", "never"],
  ["honeyToken:create", "never"],
  ["format:encrypt", "sandbox"],
  ["format:decrypt", "never"],
  ["format:rewrap", "never"],
  ["file:create", "never"],
  ["webhookEndpoint:create", "writers"],
  ["webhookEndpoint:update", "writers"],
  ["webhookEvent:listen", "never"],
  ["function:run", "never"],
  ["functionRun:read", "never"],
  ["functionLog:list", "sandbox"],
  ["callbackSecret:read", "writers"],
  ["networkToken:create", "never"],
  ["networkToken:createCryptogram", "never"],
  ["card:create", "never"],
  ["accountUpdater:subscribe", "never"],
  ["retryEnrolment:create", "never"],
  ["insights:create", "never"],
  ["binLookup:create", "never"],
  ["parLookup:create", "never"],
  ["threeDSSession:create", "never"],
])

const READING = SCOPES.filter((scope) => /:(read|list)$/.test(scope))

const ALL: EnvironmentAccess = { scopes: ["*"], team: "write" }
const READ: EnvironmentAccess = { scopes: READING, team: "read" }

/** What each role may do: the only place that says so. What `SESSION_RULES` excludes is left out of all of them. */
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
  const { scopes, team } = ACCESS[role][environment]
  return grantsScope(scopes, scope) && isForSession(sessionRuleOf(scope), environment, team !== "read")
}

/** Returns the strictest rule for what the endpoints of a scope reveal to members. */
export function sessionRuleOf(scope: Scope): SessionRule {
  return SESSION_RULES.get(scope) ?? "any"
}

/** What a member does with an endpoint. */
interface MemberUse {
  /** Whether the request's method changes nothing: GET or HEAD. */
  readonly isReading: boolean
  /** What the endpoint reveals. */
  readonly reveals: Reveals
}

/**
 * True when a role may call an app's endpoint. Without a scope, whoever has full access to the app may, and everybody may
 * read. Scopes that include others do not count here: each is in the table by its own name.
 */
export function mayUseApp(
  role: MemberRole,
  environment: App["environment"],
  scope: Scope | null,
  { isReading, reveals }: MemberUse,
): boolean {
  const isWriter = ACCESS[role][environment].team !== "read"
  if (!isForSession(REVEALS[reveals].sessions, environment, isWriter)) return false
  return scope === null ? isReading || isWriter : hasScope(role, environment, scope)
}

/** True when a role may act on the team, or on an app as its team does. @param environment null for the team itself */
export function mayManage(
  role: MemberRole,
  environment: App["environment"] | null,
  needed: TeamAccess,
  reveals: Reveals,
): boolean {
  const access = environment === null ? ACCESS[role].team : ACCESS[role][environment].team
  if (!isForSession(REVEALS[reveals].sessions, environment, access !== "read")) return false
  return TEAM_ACCESS.indexOf(access) >= TEAM_ACCESS.indexOf(needed)
}
