import {
  type App,
  type AppPrincipal,
  type AuthScheme,
  createId,
  findEnabledApp,
  type IdentityServices,
  isId,
  isInForce,
  type Keyring,
  type RequestHeaders,
  UnauthorizedError,
} from "@sealway/platform"
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, SignJWT } from "jose"
import * as z from "zod"
import { hashPayload } from "./payload-hash.ts"

/** The one action that a token can be issued for. */
export const CLIENT_SIDE_ACTION = "api:decrypt"

/** An app, by a token that one of its API keys has issued. */
export interface ClientSidePrincipal extends AppPrincipal {
  /** Hash of the one payload that the token is for, see `hashPayload`. */
  readonly payloadHash: string
}

const ALGORITHM = "HS256"
const ISSUER = "sealway"
/** A token has about 450 characters. */
const MAX_TOKEN_CHARACTERS = 1_024

const headerSchema = z.object({ alg: z.literal(ALGORITHM), kid: z.string().regex(/^[1-9][0-9]{0,8}$/) })
const claimsSchema = z.object({
  aud: z.string(),
  jti: z.string(),
  exp: z.number(),
  action: z.literal(CLIENT_SIDE_ACTION),
  apiKey: z.string(),
  payload: z.string(),
})

export interface NewClientSideToken {
  /** What the token is to be good for, and nothing else. */
  readonly payload: unknown
  /** The API key that vouches for the token: when it ends, so does the token. */
  readonly apiKeyId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly expiry: number
}

/**
 * Issues a token: a JWT (RFC 7519) signed by HMAC-SHA-256 with a key of the app's newest key version, which its `kid`
 * names. It holds ids and a hash of the payload, nothing of what is in it.
 */
export async function issueClientSideToken(
  keyring: Keyring,
  app: App,
  { payload, apiKeyId, createdAt, expiry }: NewClientSideToken,
): Promise<{ readonly id: string; readonly token: string }> {
  const keyVersion = await keyring.newest(app)
  const id = createId("client_side_token", createdAt)
  const claims = { action: CLIENT_SIDE_ACTION, apiKey: apiKeyId, payload: hashPayload(payload) }
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: ALGORITHM, typ: "JWT", kid: String(keyVersion.version) })
    .setIssuer(ISSUER)
    .setAudience(app.id)
    .setJti(id)
    .setIssuedAt(Math.floor(createdAt / 1000))
    .setExpirationTime(expiry / 1000)
    .sign(keyVersion.deriveKey("client-side-token"))
  return { id, token }
}

/**
 * A client-side token, in `Authorization: Token <jwt>` or `Bearer <jwt>`. Its app is enabled, its time is not over, and the
 * API key that issued it is still in force and still granted the action. Whether the payload is the token's is for
 * the endpoint to check: nobody's body is read before it is known whose it is.
 */
export function clientSideToken(): AuthScheme<ClientSidePrincipal> {
  return {
    name: "client-side-token",
    scope: CLIENT_SIDE_ACTION,
    grants: ["dynamodb:GetItem/config", "dynamodb:PutItem/events", "dynamodb:Query/config", "kms:Decrypt"],
    async identify(headers, services) {
      const token = readToken(headers)
      if (token === null) return null
      const { app, id, apiKeyId, payloadHash } = await verify(token, services)
      const owner = { teamId: app.teamId, appId: app.id }
      const apiKey = await services.directory.apiKeyById(owner, apiKeyId)
      if (apiKey === null || !isInForce(apiKey, services.wallClock())) throw new UnauthorizedError()
      return {
        principal: { app, apiKeyId, scopes: apiKey.scopes, payloadHash },
        actor: { type: "client-side-token", id },
        scopes: apiKey.scopes,
        secret: token,
        apiKey,
      }
    },
  }
}

function readToken({ authorization = "" }: RequestHeaders): string | null {
  const [scheme = "", token = "", ...rest] = authorization.split(" ", 3)
  if (!["token", "bearer"].includes(scheme.toLowerCase())) return null
  if (token === "" || rest.length > 0 || token.length > MAX_TOKEN_CHARACTERS) throw new UnauthorizedError()
  return token
}

async function verify(token: string, { directory, keyring, wallClock }: IdentityServices) {
  const { appId, version } = readUnverified(token)
  const app = await findEnabledApp(directory, appId)
  if (!(await keyring.versions(app)).includes(version)) throw new UnauthorizedError()
  const key = (await keyring.open(app, version)).deriveKey("client-side-token")
  const nowMs = wallClock()
  const claims = await verifyClaims(token, key, app, nowMs)
  // The library counts whole seconds.
  if (nowMs >= Math.round(claims.exp * 1000)) throw new UnauthorizedError()
  return { app, id: claims.jti, apiKeyId: claims.apiKey, payloadHash: claims.payload }
}

/** Not to be trusted yet: this only tells which key the signature is to be checked with. */
function readUnverified(token: string): { readonly appId: string; readonly version: number } {
  try {
    const { kid } = headerSchema.parse(decodeProtectedHeader(token))
    const { aud } = claimsSchema.parse(decodeJwt(token))
    if (isId("app", aud)) return { appId: aud, version: Number(kid) }
  } catch {
    // Whatever is wrong with it, it is no token of ours.
  }
  throw new UnauthorizedError()
}

async function verifyClaims(token: string, key: Uint8Array, app: App, nowMs: number) {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      typ: "JWT",
      issuer: ISSUER,
      audience: app.id,
      currentDate: new Date(nowMs),
    })
    return claimsSchema.parse(payload)
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) throw new UnauthorizedError()
    throw error
  }
}
