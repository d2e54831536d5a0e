import type { App } from "@sealway/accounts"
import type { AuthScheme } from "@sealway/http"
import { invalidField } from "@sealway/kernel"
import { CompactEncrypt, importJWK } from "jose"
import * as z from "zod"
import {
  BOUND_TOKEN_GRANTS,
  type BoundPrincipal,
  identifyBoundToken,
  issueBoundToken,
  type NewBoundToken,
  type TokenIssuer,
} from "./bound-token.ts"
import { clientSideTokenOf } from "./client-side-token.ts"

/** The action of a token with which a frame shows a value. */
export const REVEAL_ACTION = "api:reveal"

/** An uncompressed point of P-256, 65 bytes that begin with 4, in base64url. */
export const revealKeySchema = z.stringFormat("reveal-key", /^B[A-P][A-Za-z0-9_-]{84}[AEIMQUYcgkosw048]$/)

const claimsSchema = z.object({ action: z.literal(REVEAL_ACTION), key: revealKeySchema })

const REVEAL_TOKEN = clientSideTokenOf(claimsSchema)

export interface RevealPrincipal extends BoundPrincipal {
  /** The frame's public key: the answer can be read with its private key only. */
  readonly revealKey: string
}

/** Issues a token with which the frame that holds a private key can show one payload. */
export function issueRevealToken(
  issuer: TokenIssuer,
  app: App,
  key: string,
  wanted: Omit<NewBoundToken<never>, "claims">,
): Promise<{ readonly id: string; readonly token: string }> {
  return issueBoundToken(REVEAL_TOKEN, issuer, app, { ...wanted, claims: { action: REVEAL_ACTION, key } })
}

/** Accepts a token of `issueRevealToken`. No other endpoint does: what it answers is sealed to the frame's key. */
export function revealToken(): AuthScheme<RevealPrincipal> {
  return {
    name: "client-side-token",
    scope: "api:decrypt",
    grants: BOUND_TOKEN_GRANTS,
    async identify(headers, services) {
      const token = await identifyBoundToken(REVEAL_TOKEN, headers, services)
      if (token === null) return null
      const principal = { ...token.identity.principal, revealKey: token.claims.key }
      return { ...token.identity, principal, actor: { type: "client-side-token", id: token.id } }
    },
  }
}

/** @throws InvalidRequestError when it is not a point of the curve */
export async function requireRevealKey(key: string): Promise<void> {
  try {
    await importRevealKey(key)
  } catch {
    throw invalidField("/key", "The key is not a point of P-256.")
  }
}

/** Encrypts for a frame, as a JWE (RFC 7516) by ECDH-ES and AES-256-GCM: each time with a new ephemeral key. */
export async function sealForFrame(key: string, content: Uint8Array): Promise<string> {
  const header = { alg: "ECDH-ES", enc: "A256GCM" }
  return new CompactEncrypt(content).setProtectedHeader(header).encrypt(await importRevealKey(key))
}

function importRevealKey(key: string) {
  const point = Buffer.from(key, "base64url")
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString("base64url"))
  return importJWK({ kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" }, "ECDH-ES")
}
