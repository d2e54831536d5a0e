import type { ApiKeyRecord, App, Directory } from "@sealway/accounts"
import { apiKey, type IdentityServices, isInForce, type RequestHeaders } from "@sealway/http"
import { ApiError, isId } from "@sealway/kernel"
import type { ProxyCredentials } from "../exchange.ts"

/** Longer than any valid credentials. */
const MAX_CHARACTERS = 512

/** An authenticated client. */
export interface ProxyClient {
  readonly app: App
  readonly apiKey: ApiKeyRecord
  readonly credentials: ProxyCredentials
}

const scheme = apiKey()

/**
 * Identifies the sender of a `Proxy-Authorization`: HTTP Basic with an API key as password, and the id of its app or of
 * its team, or nothing, as user name; or only the key, which some clients send. The rules are those of the API. Returns
 * null when the credentials are invalid for any reason.
 */
export async function identifyProxyClient(
  value: string,
  services: IdentityServices,
): Promise<ProxyClient | null> {
  if (value.length > MAX_CHARACTERS) return null
  const { headers, teamId } = readCredentials(value)
  try {
    const identity = await scheme.identify(headers, services)
    if (identity === null || identity.apiKey === null) return null
    const { app, apiKeyId, scopes } = identity.principal
    if (teamId !== null && teamId !== app.teamId) return null
    return { app, apiKey: identity.apiKey, credentials: { appId: app.id, apiKeyId, scopes } }
  } catch (error) {
    // A team key is refused too: it belongs to no app.
    if (error instanceof ApiError) return null
    throw error
  }
}

/** Returns the credentials in the API's form, and the team that the key must belong to: null when none is given. */
function readCredentials(value: string): {
  readonly headers: RequestHeaders
  readonly teamId: string | null
} {
  const [scheme = "", encoded = "", ...rest] = value.trim().split(/ +/)
  if (scheme.toLowerCase() !== "basic") return { headers: { "api-key": value.trim() }, teamId: null }
  const text = rest.length === 0 ? Buffer.from(encoded, "base64").toString() : ""
  const colon = text.indexOf(":")
  const [user, key] = [text.slice(0, colon), text.slice(colon + 1)]
  if (colon === -1 || (user !== "" && !isId("team", user))) {
    return { headers: { authorization: value }, teamId: null }
  }
  return { headers: { "api-key": key }, teamId: user === "" ? null : user }
}

/** Whether credentials that were valid when a tunnel was opened still are: a tunnel may be open for days. */
export async function isStillGood(
  { appId, apiKeyId }: ProxyCredentials,
  { directory, wallClock }: { readonly directory: Directory; readonly wallClock: () => number },
): Promise<boolean> {
  const app = await directory.app(appId)
  if (app === null || app.status === "disabled") return false
  const record = await directory.apiKeyById({ teamId: app.teamId, appId }, apiKeyId)
  return record !== null && isInForce(record, wallClock())
}
