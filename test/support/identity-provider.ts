import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose"
import Provider from "oidc-provider"
import * as z from "zod"

export const CLIENT = { clientId: "sealway", clientSecret: "a secret of the client, of some length" } as const

/** An account at the provider. */
export interface Account {
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
}

/** A provider of OpenID Connect in this process. */
export interface TestProvider {
  readonly issuer: string
  /** The accounts by their subjects; a sign-in is of `signingIn`. */
  readonly accounts: Map<string, Account>
  signingIn: string
  close(): Promise<void>
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = z.object({ port: z.number() }).parse(server.address())
  return `http://127.0.0.1:${address.port}`
}

const close = (server: Server) =>
  new Promise<void>((resolve) => {
    server.closeAllConnections()
    server.close(() => resolve())
  })

/** Starts a real provider. Whoever comes is signed in as `signingIn`, without being asked. */
export async function startProvider(redirectUri: () => string): Promise<TestProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined
  const server = createServer((request, response) => void handle(request, response))
  const issuer = await listen(server)
  const provider: TestProvider = { issuer, accounts: new Map(), signingIn: "", close: () => close(server) }
  // The address of the service is known only once it has started.
  const redirectUris: string[] = ["http://127.0.0.1/placeholder"]
  const oidc = new Provider(issuer, {
    clients: [
      { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, redirect_uris: redirectUris },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ["a key of the provider"] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...provider.accounts.get(id) }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant(context) {
      const { client, session } = context.oidc
      const grant = new oidc.Grant({ clientId: client?.clientId ?? "", accountId: session?.accountId ?? "" })
      grant.addOIDCScope("openid email profile")
      await grant.save()
      return grant
    },
  })
  Object.defineProperty(oidc.Client.prototype, "redirectUriAllowed", {
    value: (uri: string) => uri === redirectUri(),
  })
  const answer = oidc.callback()
  handle = async (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return answer(request, response)
    await oidc.interactionFinished(request, response, { login: { accountId: provider.signingIn } })
  }
  return provider
}

/** What a provider that misbehaves answers. */
export interface Misbehaviour {
  /** Claims on top of the usual ones. Undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly nonce?: string
  readonly unsigned?: true
  readonly foreignKey?: true
  readonly status?: number
  /** On top of the metadata. */
  readonly metadata?: Readonly<Record<string, string | readonly string[]>>
  /** What `/userinfo` answers. */
  readonly profile?: Readonly<Record<string, unknown>>
}

export interface RogueProvider {
  readonly issuer: string
  behaviour: Misbehaviour
  /** The requests that it received. */
  readonly received: string[]
  /** The last request for a token. */
  tokenRequest: { readonly authorization: string | undefined; readonly body: URLSearchParams } | null
  close(): Promise<void>
}

/** Starts a provider that answers whatever a test wants. Any code is accepted, however often. */
export async function startRogueProvider(): Promise<RogueProvider> {
  const keys = await generateKeyPair("RS256")
  const others = await generateKeyPair("RS256")
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: "1", alg: "RS256", use: "sig" }
  const server = createServer(async (request, response) => {
    const { behaviour, issuer } = rogue
    const { pathname } = new URL(request.url ?? "", issuer)
    rogue.received.push(`${request.method} ${pathname}`)
    const send = (body: unknown, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (pathname === "/jwks") return void send({ keys: [jwk] })
    if (pathname === "/userinfo") return void send(behaviour.profile ?? {})
    if (pathname !== "/token") {
      return void send({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
        ...behaviour.metadata,
      })
    }
    const { authorization } = request.headers
    rogue.tokenRequest = { authorization, body: new URLSearchParams(await text(request)) }
    const seconds = Math.floor(Date.now() / 1000)
    const claims: JWTPayload = {
      iss: issuer,
      aud: CLIENT.clientId,
      sub: "rogue",
      iat: seconds,
      exp: seconds + 300,
      nonce: behaviour.nonce,
      email: "rogue@example.com",
      email_verified: true,
      ...behaviour.claims,
    }
    const signed =
      behaviour.unsigned === undefined
        ? new SignJWT(claims)
            .setProtectedHeader({ alg: "RS256", kid: "1" })
            .sign(behaviour.foreignKey ? others.privateKey : keys.privateKey)
        : Promise.resolve(new UnsecuredJWT(claims).encode())
    void signed.then((token) =>
      send({ access_token: "x", token_type: "Bearer", id_token: token }, behaviour.status),
    )
  })
  const rogue: RogueProvider = {
    issuer: await listen(server),
    behaviour: {},
    received: [],
    tokenRequest: null,
    close: () => close(server),
  }
  return rogue
}
