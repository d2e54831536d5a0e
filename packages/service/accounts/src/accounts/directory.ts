import { createCache, type MaybePromise } from "@sealway/kernel"
import type { Table } from "@sealway/ports"
import type { ApiKeyRecord } from "./api-key-table.ts"
import { findApiKey, findApiKeyById, type KeyOwner } from "./api-key-table.ts"
import type { App } from "./app-table.ts"
import { findApp } from "./app-table.ts"
import { findRoster, type Roster } from "./roster-table.ts"
import { findSession, type Session } from "./session-table.ts"
import type { Team } from "./team-table.ts"
import { findTeam } from "./team-table.ts"

/** The longest time until a configuration change takes effect everywhere. */
export const CONFIGURATION_TTL_MS = 10_000

const MAX_ENTRIES = 10_000
/** A roster can be large. */
const MAX_ROSTERS = 100

/** Looks up teams, apps, API keys, members and their sessions, each at most `CONFIGURATION_TTL_MS` old. */
export interface Directory {
  team(id: string): MaybePromise<Team | null>
  app(id: string): MaybePromise<App | null>
  apiKey(hash: string): MaybePromise<ApiKeyRecord | null>
  apiKeyById(owner: KeyOwner, id: string): MaybePromise<ApiKeyRecord | null>
  session(hash: string): MaybePromise<Session | null>
  /** Makes this process read a session again. */
  forgetSession(hash: string): void
  /** @param minRevision an older roster is read again. Default: 0 */
  roster(teamId: string, minRevision?: number): MaybePromise<Roster | null>
}

/** @param now milliseconds, monotonic */
export function createDirectory(
  { configTable, keysTable }: { readonly configTable: Table; readonly keysTable: Table },
  now: () => number,
): Directory {
  const limits = { maxEntries: MAX_ENTRIES, ttlMs: CONFIGURATION_TTL_MS, now }
  const teams = createCache<Team>(limits)
  const apps = createCache<App>(limits)
  const apiKeys = createCache<ApiKeyRecord>(limits)
  const apiKeysById = createCache<ApiKeyRecord>(limits)
  const sessions = createCache<Session>(limits)
  const rosters = createCache<Roster>({ ...limits, maxEntries: MAX_ROSTERS })
  return {
    session: (hash) => sessions.get(hash, () => findSession(keysTable, hash)),
    forgetSession: (hash) => sessions.forget(hash),
    roster(teamId, minRevision = 0) {
      const known = rosters.peek(teamId)
      if (minRevision > 0 && (known?.revision ?? 0) < minRevision) rosters.forget(teamId)
      return rosters.get(teamId, () => findRoster(keysTable, teamId))
    },
    team: (id) => teams.get(id, () => findTeam(configTable, id)),
    app: (id) => apps.get(id, () => findApp(configTable, id)),
    apiKey: (hash) => apiKeys.get(hash, () => findApiKey(keysTable, hash)),
    apiKeyById: (owner, id) =>
      apiKeysById.get(`${owner.appId ?? owner.teamId}/${id}`, () => findApiKeyById(keysTable, owner, id)),
  }
}
