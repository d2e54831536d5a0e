export { createGuardedFetch } from "../sign-in/guarded-fetch.ts"
export { createIdentityProvider } from "../sign-in/identity-provider.ts"
