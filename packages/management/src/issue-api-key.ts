import {
  type ApiKeyRecord,
  type App,
  createApiKey,
  createApiKeyRecord,
  createId,
  hashApiKey,
  type Platform,
  type Scope,
} from "@sealway/platform"

/**
 * Issues an API key of an app. What is returned is the only copy: the service keeps its hash.
 *
 * @param scopes what the key is granted; `["*"]` for all of an app's scopes
 */
export function issueAppKey(platform: Platform, app: App, scopes: readonly (Scope | "*")[]): Promise<string> {
  return issue(platform, { kind: app.environment, teamId: app.teamId, appId: app.id, scopes })
}

/** Issues a team key. What is returned is the only copy: the service keeps its hash. */
export function issueTeamKey(platform: Platform, teamId: string): Promise<string> {
  return issue(platform, { kind: "team", teamId, appId: null, scopes: [] })
}

async function issue(
  { table, wallClock }: Platform,
  owner: Pick<ApiKeyRecord, "kind" | "teamId" | "appId" | "scopes">,
): Promise<string> {
  const key = createApiKey(owner.kind)
  const record = {
    id: createId("key"),
    hash: hashApiKey(key),
    createdAt: wallClock(),
    revokedAt: null,
    ...owner,
  }
  if (!(await createApiKeyRecord(table, record))) throw new Error("The new key's hash is taken")
  return key
}
