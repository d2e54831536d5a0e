import { type App, LIMIT_GRANTS } from "@sealway/accounts"
import { type AppPrincipal, type AuthScheme, findEnabledApp } from "@sealway/http"

/** An app that a request names without a secret: its attestation, which is in the body, is still to be verified. */
export interface UnverifiedApp {
  readonly app: App
  readonly apiKeyId: null
}

export type EnclavePrincipal = AppPrincipal | UnverifiedApp

/**
 * Accepts a request without an API key for the app that it names. The attestation in the body is the credential, and no
 * body is read before the app is known: an endpoint with this scheme must verify it before it does anything else.
 */
export function attestedApp(): AuthScheme<UnverifiedApp> {
  return {
    name: "enclave",
    scope: "api:decrypt",
    grants: ["dynamodb:GetItem/config", ...LIMIT_GRANTS],
    async identify(headers, { directory }) {
      const appId = headers["x-service-app-id"]
      if (appId === undefined || hasOtherCredentials(headers)) return null
      const app = await findEnabledApp(directory, appId)
      return {
        principal: { app, apiKeyId: null },
        actor: { type: "enclave", id: app.id },
        scopes: ["api:decrypt"],
        secret: "",
        teamId: app.teamId,
        app,
        apiKey: null,
      }
    },
  }
}

function hasOtherCredentials(headers: Readonly<Record<string, string | undefined>>): boolean {
  return headers.authorization !== undefined || headers["api-key"] !== undefined
}
