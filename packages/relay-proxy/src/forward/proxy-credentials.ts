import { ApiError } from "@sealway/kernel"
import {
  type ApiKeyRecord,
  type App,
  apiKey,
  type Directory,
  type IdentityServices,
  isInForce,
} from "@sealway/platform"
import type { ProxyCredentials } from "../exchange.ts"

/** Longer than any good credentials. */
const MAX_CHARACTERS = 512

/** A client that has shown who it is. */
export interface ProxyClient {
  readonly app: App
  readonly apiKey: ApiKeyRecord
  readonly credentials: ProxyCredentials
}

const scheme = apiKey()

/**
 * Who sends a `Proxy-Authorization`: HTTP Basic with the app id as user name and an API key of it as password, or the
 * key alone, which some clients send. The rules are those of the API. Null: the credentials are not good, whatever
 * the reason.
 */
export async function identifyProxyClient(
  value: string,
  services: IdentityServices,
): Promise<ProxyClient | null> {
  if (value.length > MAX_CHARACTERS) return null
  const isBasic = value.slice(0, 6).toLowerCase() === "basic "
  try {
    const identity = await scheme.identify(
      isBasic ? { authorization: value } : { "api-key": value.trim() },
      services,
    )
    if (identity === null) return null
    const { app, apiKeyId, scopes } = identity.principal
    return { app, apiKey: identity.apiKey, credentials: { appId: app.id, apiKeyId, scopes } }
  } catch (error) {
    // A team key is refused here as well: it belongs to no app.
    if (error instanceof ApiError) return null
    throw error
  }
}

/** Whether credentials that were good when a tunnel was opened still are: a tunnel may be open for days. */
export async function isStillGood(
  { appId, apiKeyId }: ProxyCredentials,
  { directory, wallClock }: { readonly directory: Directory; readonly wallClock: () => number },
): Promise<boolean> {
  const app = await directory.app(appId)
  if (app === null || app.status === "disabled") return false
  const record = await directory.apiKeyById({ teamId: app.teamId, appId }, apiKeyId)
  return record !== null && isInForce(record, wallClock())
}
