import { ForbiddenError } from "@sealway/kernel"
import type { SignInConfiguration } from "@sealway/ports"
import type { SignInFailure } from "./finish-sign-in.ts"
import type { IdentityProvider } from "./identity-provider.ts"
import { DASHBOARD_PATH } from "./sign-in-page.ts"

/** Returns where the provider sends browsers back to. It must be registered there. */
export const redirectUriOf = (browserUrl: string): string => `${browserUrl}/sign-in/oidc/callback`

/** Returns where a browser goes when it is signed in. It is always the same: no request chooses it. */
export const signedInUrl = (browserUrl: string, { hasDashboard }: SignInConfiguration): string =>
  hasDashboard ? new URL(DASHBOARD_PATH, browserUrl).href : `${browserUrl}/sign-in`

/** Returns the page that says why nobody is signed in. */
export const failureUrl = (browserUrl: string, failure: SignInFailure): string =>
  `${browserUrl}/sign-in#failed=${failure}`

/** @throws ForbiddenError when the service has no provider, or cookies would cross the network unencrypted */
export function requireProvider(
  idp: IdentityProvider | null,
  cookieName: string | null,
): { readonly idp: IdentityProvider; readonly cookieName: string } {
  if (idp === null) throw new ForbiddenError("This service has no identity provider.")
  if (cookieName === null) {
    throw new ForbiddenError("Sign in over HTTPS, or on the machine itself at localhost.")
  }
  return { idp, cookieName }
}
