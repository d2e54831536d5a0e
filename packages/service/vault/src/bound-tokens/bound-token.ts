import { type App, LIMIT_GRANTS } from "@sealway/accounts"
import {
  type AppPrincipal,
  findEnabledApp,
  type Identity,
  type IdentityServices,
  isInForce,
  type RequestHeaders,
} from "@sealway/http"
import { type IdPrefix, isId, type Turns, UnauthorizedError } from "@sealway/kernel"
import type { KeyPurpose, Keyring } from "@sealway/keys"
import type { Draws } from "@sealway/ports"
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, SignJWT } from "jose"
import * as z from "zod"
import { hashPayloadInSteps } from "./payload-hash.ts"

/** A kind of token, each bound to one app and one payload. */
export interface BoundTokenKind<Claims extends object> {
  /**
   * The purpose of the key that signs them. Each kind has its own, so no token can stand in for one of another kind.
   */
  readonly purpose: Extract<KeyPurpose, "client-side-token" | "run-token">
  readonly idPrefix: Extract<IdPrefix, "client_side_token" | "run_token">
  /** The words that may precede a token in the `Authorization` header, in lower case. */
  readonly carriers: readonly string[]
  /** Further claims of a token. Anyone who has the token can read them. */
  readonly claims: z.ZodType<Claims>
}

/** An app, authenticated by a token that one of its API keys issued. */
export interface BoundPrincipal extends AppPrincipal {
  /** The hash of the only payload that the token is for, see `hashPayload`. */
  readonly payloadHash: string
}

/** The result of checking a valid token. */
export interface BoundToken<Claims> {
  readonly id: string
  readonly claims: Claims
  /** Epoch milliseconds. */
  readonly expiry: number
  readonly identity: Omit<Identity<BoundPrincipal>, "actor">
}

const ALGORITHM = "HS256"
const ISSUER = "sealway"
/** A token has about 450 characters. */
const MAX_TOKEN_CHARACTERS = 1_024

/** The AWS permissions that checking a token needs. */
export const BOUND_TOKEN_GRANTS = [
  "dynamodb:GetItem/keys",
  "dynamodb:GetItem/config",
  "dynamodb:PutItem/events",
  "dynamodb:Query/keys",
  "kms:Decrypt/secret",
  ...LIMIT_GRANTS,
] as const

const headerSchema = z.object({ alg: z.literal(ALGORITHM), kid: z.string().regex(/^[1-9][0-9]{0,8}$/) })
const commonSchema = z.object({
  aud: z.string(),
  jti: z.string(),
  exp: z.number(),
  apiKey: z.string(),
  payload: z.string(),
})

/** What issuing a token needs. */
export interface TokenIssuer {
  readonly keyring: Pick<Keyring, "newest">
  readonly draws: Pick<Draws, "newId">
}

export interface NewBoundToken<Claims> {
  /** Of the request that issues it. */
  readonly turns: Turns
  /** The only payload that the token is for. */
  readonly payload: unknown
  readonly claims: Claims
  /** The API key that issues the token: when it ends, so does the token. */
  readonly apiKeyId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly expiry: number
}

/**
 * Issues a token: a JWT (RFC 7519), signed by HMAC-SHA-256 with a key of the app's newest key version, which its `kid`
 * names. It contains ids and a hash of the payload, but nothing of the payload itself.
 */
export async function issueBoundToken<Claims extends object>(
  { purpose, idPrefix }: BoundTokenKind<Claims>,
  { keyring, draws }: TokenIssuer,
  app: App,
  { turns, payload, claims, apiKeyId, createdAt, expiry }: NewBoundToken<Claims>,
): Promise<{ readonly id: string; readonly token: string }> {
  const keyVersion = await keyring.newest(app, "secret")
  const payloadHash = await turns.run(hashPayloadInSteps(payload))
  const id = draws.newId(idPrefix, createdAt)
  const token = await new SignJWT({ ...claims, apiKey: apiKeyId, payload: payloadHash })
    .setProtectedHeader({ alg: ALGORITHM, typ: "JWT", kid: String(keyVersion.version) })
    .setIssuer(ISSUER)
    .setAudience(app.id)
    .setJti(id)
    .setIssuedAt(Math.floor(createdAt / 1000))
    .setExpirationTime(expiry / 1000)
    .sign(keyVersion.deriveKey(purpose))
  return { id, token }
}

/**
 * Identifies the sender of a request by a token of a kind. Its app is enabled, it has not expired, and the API key that
 * issued it is still valid. The endpoint must check that the payload is the token's: no body is read before its sender
 * is known.
 *
 * @returns null when the request has no such token
 * @throws UnauthorizedError when it is invalid for any reason
 */
export async function identifyBoundToken<Claims extends object>(
  kind: BoundTokenKind<Claims>,
  headers: RequestHeaders,
  services: IdentityServices,
): Promise<BoundToken<Claims> | null> {
  const token = readToken(kind.carriers, headers)
  if (token === null) return null
  const { app, common, claims } = await verify(kind, token, services)
  const { jti: id, apiKey: apiKeyId, payload: payloadHash, exp } = common
  const owner = { teamId: app.teamId, appId: app.id }
  const apiKey = await services.directory.apiKeyById(owner, apiKeyId)
  if (apiKey === null || !isInForce(apiKey, services.wallClock())) throw new UnauthorizedError()
  const { scopes } = apiKey
  const principal = { app, apiKeyId, scopes, payloadHash }
  const identity = { principal, scopes, secret: token, teamId: app.teamId, app, apiKey }
  return { id, claims, expiry: Math.round(exp * 1000), identity }
}

function readToken(carriers: readonly string[], { authorization = "" }: RequestHeaders): string | null {
  const [scheme = "", token = "", ...rest] = authorization.split(" ", 3)
  if (!carriers.includes(scheme.toLowerCase())) return null
  if (token === "" || rest.length > 0 || token.length > MAX_TOKEN_CHARACTERS) throw new UnauthorizedError()
  return token
}

async function verify<Claims extends object>(
  kind: BoundTokenKind<Claims>,
  token: string,
  { directory, keyring, wallClock }: IdentityServices,
) {
  const { appId, version } = readUnverified(token)
  const app = await findEnabledApp(directory, appId)
  if (!(await keyring.versions(app)).includes(version)) throw new UnauthorizedError()
  const key = (await keyring.open(app, version, "secret")).deriveKey(kind.purpose)
  const nowMs = wallClock()
  const verified = await verifyClaims(kind, token, key, app, nowMs)
  // The library compares whole seconds.
  if (nowMs >= Math.round(verified.common.exp * 1000)) throw new UnauthorizedError()
  return { app, ...verified }
}

/** Reads an unverified token. Not to be trusted: this only selects the key to check the signature with. */
function readUnverified(token: string): { readonly appId: string; readonly version: number } {
  try {
    const { kid } = headerSchema.parse(decodeProtectedHeader(token))
    const { aud } = commonSchema.parse(decodeJwt(token))
    if (isId("app", aud)) return { appId: aud, version: Number(kid) }
  } catch {
    // Whatever is wrong with it, it is not one of our tokens.
  }
  throw new UnauthorizedError()
}

async function verifyClaims<Claims extends object>(
  kind: BoundTokenKind<Claims>,
  token: string,
  key: Uint8Array,
  app: App,
  nowMs: number,
) {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      typ: "JWT",
      issuer: ISSUER,
      audience: app.id,
      currentDate: new Date(nowMs),
    })
    return { common: commonSchema.parse(payload), claims: kind.claims.parse(payload) }
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) throw new UnauthorizedError()
    throw error
  }
}
