import { type ApiKeyRecord, grantsScope } from "@sealway/accounts"
import { apiKey, type IdentityServices } from "@sealway/http"
import { ApiError, andThen, headerOf, type MaybePromise } from "@sealway/kernel"
import type { ServedRelay } from "@sealway/relay"
import { type MatchedRoutes, RelayError } from "@sealway/relay-engine"
import type { InboundRequest } from "../exchange.ts"

export const API_KEY_HEADER = "x-service-api-key"
export const APP_ID_HEADER = "x-service-app-id"

/** Longer than any valid key. */
const MAX_KEY_CHARACTERS = 256

/** The sender of a request, by an API key of the relay's app. */
export interface RelayCaller {
  readonly apiKeyId: string
  readonly scopes: readonly string[]
  readonly apiKey: ApiKeyRecord
}

const scheme = apiKey()

/**
 * Authenticates a request by API key. A relay with authentication requires a key and the app's id; one with a client
 * certificate at least a key, since to the destination anyone who may use the relay is the certificate's holder. A key
 * that is sent must be valid even when it is not required.
 *
 * @returns null when none is sent, and none is required
 * @throws RelayError `proxy-authentication-required` when something is missing, `proxy-auth-failed` when something is
 * wrong, without saying what
 */
export function authenticate(
  { mode, rawHeaders, credentials }: Pick<InboundRequest, "mode" | "rawHeaders" | "credentials">,
  { relay, app }: Pick<ServedRelay, "relay" | "app">,
  services: IdentityServices,
): MaybePromise<RelayCaller | null> {
  if (mode === "forward") {
    if (credentials?.appId !== app.id) throw failure()
    const { apiKeyId, scopes } = credentials
    return andThen(
      services.directory.apiKeyById({ teamId: app.teamId, appId: app.id }, apiKeyId),
      (apiKey) => {
        if (apiKey === null) throw failure()
        return { apiKeyId, scopes, apiKey }
      },
    )
  }
  const key = headerOf(rawHeaders, API_KEY_HEADER)
  const appId = headerOf(rawHeaders, APP_ID_HEADER)
  const asksForAppId = relay.authentication === "api-key"
  const asksForKey = asksForAppId || relay.clientCertificate !== null
  if ((asksForKey && key === undefined) || (asksForAppId && appId === undefined)) {
    throw new RelayError(
      "proxy-authentication-required",
      "The relay requires an API key and the app's id, in the headers X-Service-Api-Key and X-Service-App-Id.",
    )
  }
  if (key === undefined) return null
  if (appId !== undefined && appId !== app.id) throw failure()
  return identifyKey(key, app.id, services)
}

/**
 * Checks the key's scope.
 *
 * @throws RelayError `forbidden` when there is a key that may not decrypt, and a route decrypts
 */
export function requireScope(caller: RelayCaller | null, { request, response }: MatchedRoutes): void {
  if (caller === null || (!request.decrypts && !response.decrypts)) return
  if (grantsScope(caller.scopes, "api:decrypt")) return
  throw new RelayError("forbidden", "The API key lacks the scope api:decrypt, which the route requires.")
}

async function identifyKey(key: string, appId: string, services: IdentityServices): Promise<RelayCaller> {
  if (key.length > MAX_KEY_CHARACTERS) throw failure()
  try {
    const identity = await scheme.identify({ "api-key": key }, services)
    if (identity?.apiKey == null || identity.principal.app.id !== appId) throw failure()
    const { apiKeyId, scopes } = identity.principal
    return { apiKeyId, scopes, apiKey: identity.apiKey }
  } catch (error) {
    if (error instanceof ApiError) throw failure(error)
    throw error
  }
}

function failure(cause?: unknown): RelayError {
  return new RelayError("proxy-auth-failed", "The API key does not belong to the relay's app.", { cause })
}
