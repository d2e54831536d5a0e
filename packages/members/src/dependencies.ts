import type { Platform } from "@sealway/platform"
import { createEgress } from "@sealway/platform/egress"
import { createGuardedFetch } from "./sign-in/guarded-fetch.ts"
import { createIdentityProvider, type IdentityProvider } from "./sign-in/identity-provider.ts"

/** The dependencies of members' endpoints. */
export interface MemberDependencies
  extends Pick<
    Platform,
    "configTable" | "eventsTable" | "directory" | "audit" | "draws" | "wallClock" | "signIn"
  > {
  /** Null when the service has no identity provider. */
  readonly provider: IdentityProvider | null
}

/** Creates what members' endpoints need. Nothing is fetched before somebody signs in. */
export function createMemberDependencies(platform: Platform): MemberDependencies {
  const { signIn, allowPrivateDestinations: allowPrivate, now } = platform
  if (signIn.provider === null) return { ...platform, provider: null }
  const fetch = createGuardedFetch(createEgress({ allowPrivate }), { allowPrivate })
  return { ...platform, provider: createIdentityProvider({ configuration: signIn.provider, fetch, now }) }
}
