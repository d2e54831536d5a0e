import { AsyncLocalStorage } from "node:async_hooks"
import type { IdentityProviderConfiguration } from "@sealway/ports"
import type { Configuration } from "openid-client"
import type { ProvenIdentity } from "../roster/admit-member.ts"
import { type GuardedFetch, ProviderUnreachableError } from "./guarded-fetch.ts"

/** What binds a sign-in to the browser that began it. */
export interface SignInSecrets {
  readonly state: string
  readonly nonce: string
  /** The PKCE verifier. */
  readonly verifier: string
}

/** A provider of OpenID Connect. A signal ends what is asked of it, with its reason. */
export interface IdentityProvider {
  /** Returns where a browser goes to sign in. @throws ProviderUnreachableError, IdentityProviderError */
  authorizationUrl(redirectUri: string, secrets: SignInSecrets, signal: AbortSignal): Promise<string>
  /**
   * Exchanges the code of a provider's answer, and checks what comes back: issuer, audience, signature, times, state,
   * nonce.
   *
   * @param answer the URL that the browser was sent back to, with its query
   * @throws ProviderUnreachableError, IdentityProviderError
   */
  identify(answer: URL, secrets: SignInSecrets, signal: AbortSignal): Promise<ProvenIdentity>
}

/** What a provider answered is not acceptable. The cause says why; it never leaves the service. */
export class IdentityProviderError extends Error {
  override readonly name = "IdentityProviderError"
}

/** How far the clocks of the provider and the service may differ. */
const CLOCK_TOLERANCE_SECONDS = 30
const MAX_SUBJECT_CHARACTERS = 255
/** How long the provider's metadata is kept. */
const METADATA_MS = 10 * 60_000

export interface IdentityProviderDependencies {
  readonly configuration: IdentityProviderConfiguration
  readonly fetch: GuardedFetch
  /** Milliseconds, monotonic. */
  readonly now: () => number
}

/** Creates a provider. Nothing is loaded or fetched before it is used. */
export function createIdentityProvider({
  configuration: { issuer, clientId, clientSecret },
  fetch,
  now,
}: IdentityProviderDependencies): IdentityProvider {
  const load = () => import("openid-client")
  /** What ends the calls of the provider: the client library has one `fetch` for all of them. */
  const ends = new AsyncLocalStorage<AbortSignal | null>()
  let known: { readonly found: Promise<Configuration>; readonly untilMs: number } | null = null

  async function discover(): Promise<Configuration> {
    const client = await load()
    const server = new URL(issuer)
    const config = await client.discovery(
      server,
      clientId,
      { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      clientSecret === null
        ? client.None()
        : (as, ...others) => {
            const methods = as.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
            const authenticate = methods.includes("client_secret_basic")
              ? client.ClientSecretBasic(clientSecret)
              : client.ClientSecretPost(clientSecret)
            return authenticate(as, ...others)
          },
      {
        [client.customFetch]: (url, options) => {
          const signals = [ends.getStore(), options.signal].filter((signal) => signal != null)
          return fetch(url, { ...options, signal: AbortSignal.any(signals) })
        },
        execute: [
          // Otherwise the signature of a token that comes directly from the provider is not checked.
          client.enableNonRepudiationChecks,
          // The fetch decides whether a service without TLS may be called.
          ...(server.protocol === "http:" ? [client.allowInsecureRequests] : []),
        ],
      },
    )
    return config
  }

  function metadata(): Promise<Configuration> {
    if (known !== null && now() < known.untilMs) return known.found
    // Others wait for it too, so it does not end with the request that is the first.
    const found = ends.run(null, discover)
    known = { found, untilMs: now() + METADATA_MS }
    found.catch(() => {
      known = null
    })
    return found
  }

  return {
    authorizationUrl: (redirectUri, { state, nonce, verifier }, signal) =>
      withKnownErrors(signal, async () => {
        const [client, config] = await Promise.all([load(), waitUntil(signal, metadata())])
        return client.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: "openid email profile",
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
        }).href
      }),

    identify: (answer, { state, nonce, verifier }, signal) =>
      withKnownErrors(signal, async () => {
        const [client, config] = await Promise.all([load(), waitUntil(signal, metadata())])
        const until = <Result>(call: () => Promise<Result>) => ends.run(signal, call)
        const tokens = await until(() =>
          client.authorizationCodeGrant(config, answer, {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: verifier,
            idTokenExpected: true,
          }),
        )
        const claims = tokens.claims()
        if (claims === undefined) throw new IdentityProviderError("There is no ID token")
        // OpenID Connect Core 1.0, section 2. A longer one would take the room of other members.
        if (claims.sub.length > MAX_SUBJECT_CHARACTERS)
          throw new IdentityProviderError("The subject is too long")
        const hasAddress =
          claims.email !== undefined || config.serverMetadata().userinfo_endpoint === undefined
        const profile = hasAddress
          ? claims
          : await until(() => client.fetchUserInfo(config, tokens.access_token, claims.sub))
        const { email, email_verified: isEmailVerified, name } = profile
        return {
          issuer: claims.iss,
          subject: claims.sub,
          email: typeof email === "string" ? email : null,
          isEmailVerified: isEmailVerified === true,
          name: typeof name === "string" ? name : null,
        }
      }),
  }
}

/** Waits for a promise until the signal of a request is aborted. What the promise stands for goes on. */
function waitUntil<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    signal.addEventListener("abort", () => reject(signal.reason))
    promise.then(resolve, reject)
  })
}

async function withKnownErrors<Result>(signal: AbortSignal, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    signal.throwIfAborted()
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      if (cause instanceof ProviderUnreachableError) throw cause
    }
    throw error instanceof IdentityProviderError
      ? error
      : new IdentityProviderError("The identity provider's answer is refused", { cause: error })
  }
}
