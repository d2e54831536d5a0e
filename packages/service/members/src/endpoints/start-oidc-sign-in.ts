import { cookieName, endpoint, setCookie } from "@sealway/http"
import type { OidcDependencies } from "../dependencies.ts"
import { ProviderUnreachableError } from "../sign-in/guarded-fetch.ts"
import { IdentityProviderError } from "../sign-in/identity-provider.ts"
import { failureUrl, redirectUriOf, requireProvider } from "../sign-in/oidc-addresses.ts"
import {
  createSignInSeed,
  deriveSignInSecrets,
  SIGN_IN_COOKIE,
  SIGN_IN_SECONDS,
} from "../sign-in/sign-in-secrets.ts"

export const startOidcSignIn = endpoint({
  id: "start-oidc-sign-in",
  method: "GET",
  path: "/sign-in/oidc",
  tag: "Members",
  summary: "Sign in with the identity provider",
  description: "For browsers: leads to the provider, which leads back.",
  auth: [],
  reveals: "nothing",
  status: 303,
  reply: { kind: "none", description: "To the identity provider" },
  replyHeaders: { location: "The identity provider" },
  errors: ["forbidden"],
  grants: [],
  async answer({ browserUrl, task }, { provider }: OidcDependencies) {
    const cookie = cookieName(browserUrl, SIGN_IN_COOKIE)
    const { idp, cookieName: name } = requireProvider(provider, cookie)
    const seed = createSignInSeed()
    try {
      const url = await idp.authorizationUrl(
        redirectUriOf(browserUrl),
        deriveSignInSecrets(seed),
        task.signal,
      )
      const set = setCookie(name, seed, { maxAgeSeconds: SIGN_IN_SECONDS, sameSite: "Lax" })
      return { body: null, headers: { location: url, "set-cookie": set, "referrer-policy": "no-referrer" } }
    } catch (error) {
      const isKnown = error instanceof ProviderUnreachableError || error instanceof IdentityProviderError
      if (!isKnown) throw error
      return { body: null, headers: { location: failureUrl(browserUrl, "unavailable") } }
    }
  },
})
