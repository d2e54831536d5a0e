import type { App } from "@sealway/accounts"
import type { AuthScheme } from "@sealway/http"
import * as z from "zod"
import {
  BOUND_TOKEN_GRANTS,
  type BoundPrincipal,
  type BoundTokenKind,
  identifyBoundToken,
  issueBoundToken,
  type NewBoundToken,
  type TokenIssuer,
} from "./bound-token.ts"

/** The only action that a token can be issued for. */
export const CLIENT_SIDE_ACTION = "api:decrypt"

const claimsSchema = z.object({ action: z.literal(CLIENT_SIDE_ACTION) })

/** Returns the kind of client-side tokens with these claims, which name the action. */
export function clientSideTokenOf<Claims extends object>(claims: z.ZodType<Claims>): BoundTokenKind<Claims> {
  return {
    purpose: "client-side-token",
    idPrefix: "client_side_token",
    carriers: ["token", "bearer"],
    claims,
  }
}

const CLIENT_SIDE_TOKEN = clientSideTokenOf(claimsSchema)

/** Issues a token that lets its holder decrypt one payload. */
export function issueClientSideToken(
  issuer: TokenIssuer,
  app: App,
  wanted: Omit<NewBoundToken<never>, "claims">,
): Promise<{ readonly id: string; readonly token: string }> {
  return issueBoundToken(CLIENT_SIDE_TOKEN, issuer, app, {
    ...wanted,
    claims: { action: CLIENT_SIDE_ACTION },
  })
}

/**
 * Accepts a client-side token, in `Authorization: Token <jwt>` or `Bearer <jwt>`, whose API key still has the action's
 * scope. See `identifyBoundToken`.
 */
export function clientSideToken(): AuthScheme<BoundPrincipal> {
  return {
    name: "client-side-token",
    scope: CLIENT_SIDE_ACTION,
    grants: BOUND_TOKEN_GRANTS,
    async identify(headers, services) {
      const token = await identifyBoundToken(CLIENT_SIDE_TOKEN, headers, services)
      return token && { ...token.identity, actor: { type: "client-side-token", id: token.id } }
    },
  }
}
