import type { Platform } from "@sealway/http"
import { createEgress } from "@sealway/http/egress"
import { createGuardedFetch } from "./sign-in/guarded-fetch.ts"
import { createIdentityProvider, type IdentityProvider } from "./sign-in/identity-provider.ts"

/** The dependencies of members' endpoints. */
export type MemberDependencies = Pick<
  Platform,
  "configTable" | "keysTable" | "eventsTable" | "directory" | "audit" | "draws" | "wallClock" | "signIn"
>

/** The dependencies of the endpoints that sign in with an identity provider. */
export interface OidcDependencies extends MemberDependencies {
  /** Null when the service has no identity provider. */
  readonly provider: IdentityProvider | null
}

/** Creates what signing in with an identity provider needs. Nothing is fetched before somebody signs in. */
export function createOidcDependencies(platform: Platform): OidcDependencies {
  const { signIn, allowPrivateDestinations: allowPrivate, now } = platform
  if (signIn.provider === null) return { ...platform, provider: null }
  const fetch = createGuardedFetch(createEgress({ allowPrivate }), { allowPrivate })
  return { ...platform, provider: createIdentityProvider({ configuration: signIn.provider, fetch, now }) }
}
