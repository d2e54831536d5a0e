export { apiKeyKind, createApiKey, hashApiKey } from "./accounts/api-key.ts"
export {
  type ApiKeyRecord,
  createApiKeyRecord,
  findApiKeyById,
  type KeyOwner,
  pageApiKeys,
  replaceApiKey,
} from "./accounts/api-key-table.ts"
export { type ApiKeyUses, createApiKeyUses } from "./accounts/api-key-use-table.ts"
export {
  type App,
  type Custody,
  createApp,
  type Environment,
  erasureDaysOf,
  findApp,
  listAppIds,
  pageApps,
  replaceApp,
} from "./accounts/app-table.ts"
export { type Actor, actorSchema, type Caller } from "./accounts/caller.ts"
export { CONFIGURATION_TTL_MS, createDirectory, type Directory } from "./accounts/directory.ts"
export { findAppOfTeam } from "./accounts/find-app-of-team.ts"
export { createFirstStart, type FirstStart, findFirstStart } from "./accounts/first-start.ts"
export {
  MEMBER_ROLES,
  type MemberRole,
  mayManage,
  mayUseApp,
  scopesOfRole,
  sessionRuleOf,
  type TeamAccess,
} from "./accounts/member-roles.ts"
export { isRandomSecret, SECRET_BYTES } from "./accounts/random-secret.ts"
export { REVEALS, type Reveals, type SessionRule, sessionNote } from "./accounts/reveals.ts"
export {
  emptyRoster,
  findRoster,
  type Invitation,
  type Member,
  type Roster,
  writeRoster,
} from "./accounts/roster-table.ts"
export { grantsScope, SCOPES, type Scope } from "./accounts/scopes.ts"
export {
  createSessionRecord,
  findSession,
  listSessions,
  MAX_SESSIONS,
  removeSession,
  removeSessions,
  replaceSession,
  type Session,
} from "./accounts/session-table.ts"
export { createSessionToken, hashSessionToken } from "./accounts/session-token.ts"
export { createTeam, findTeam, replaceTeam, type Team } from "./accounts/team-table.ts"
export { type Allowance, UNLIMITED } from "./limits/allowance.ts"
export { createLimiter, LIMIT_GRANTS, type LimitedCaller, type Limiter } from "./limits/limiter.ts"
export { RateLimitError } from "./limits/rate-limit-error.ts"
export {
  APP_LIMITS,
  type ChosenLimits,
  KEY_LIMITS,
  limitsOf,
  MAX_REQUESTS_PER_SECOND,
  MAX_VALUES_PER_SECOND,
  NO_CHOSEN_LIMITS,
  type RateLimits,
} from "./limits/rate-limits.ts"
export { noticeableRequests } from "./limits/usage-exchange.ts"
