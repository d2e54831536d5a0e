import type { App } from "@sealway/accounts"
import type { AuthScheme } from "@sealway/http"
import { ForbiddenError } from "@sealway/kernel"
import type { Table } from "@sealway/ports"
import {
  BOUND_TOKEN_GRANTS,
  type BoundPrincipal,
  type BoundTokenKind,
  identifyBoundToken,
  issueBoundToken,
  type NewBoundToken,
  type TokenIssuer,
} from "@sealway/vault"
import * as z from "zod"

/** An app, authenticated by a token for one run of one function. */
export interface RunTokenPrincipal extends BoundPrincipal {
  /** The function that the token is for. */
  readonly functionName: string
  readonly tokenId: string
  /** Epoch milliseconds. */
  readonly tokenExpiry: number
}

const DEFAULT_CARRIERS: readonly string[] = ["runtoken"]

const claimsSchema = z.object({ function: z.string() })

const RUN_TOKEN: BoundTokenKind<z.infer<typeof claimsSchema>> = {
  purpose: "run-token",
  idPrefix: "run_token",
  carriers: DEFAULT_CARRIERS,
  claims: claimsSchema,
}

const LIFETIME_MS = 5 * 60_000
/** A used token is remembered for longer than it is valid. */
const MARGIN_SECONDS = 60

export interface IssuedRunToken {
  readonly id: string
  readonly token: string
  /** Epoch milliseconds. */
  readonly expiry: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Issues a token that lets its holder run one function on one payload, once, within 5 minutes. */
export async function issueRunToken(
  issuer: TokenIssuer,
  app: App,
  wanted: Pick<NewBoundToken<never>, "turns" | "payload" | "apiKeyId"> & { readonly functionName: string },
  createdAt: number,
): Promise<IssuedRunToken> {
  const { functionName, turns, payload, apiKeyId } = wanted
  const expiry = createdAt + LIFETIME_MS
  const claims = { function: functionName }
  const issued = await issueBoundToken(RUN_TOKEN, issuer, app, {
    turns,
    payload,
    claims,
    apiKeyId,
    createdAt,
    expiry,
  })
  return { ...issued, expiry, createdAt }
}

/**
 * Accepts a run token, in `Authorization: RunToken <jwt>`, whose API key may still run functions. See
 * `identifyBoundToken`.
 *
 * @param carriers the words that may precede the token, in lower case
 */
export function runToken(carriers = DEFAULT_CARRIERS): AuthScheme<RunTokenPrincipal> {
  const kind = { ...RUN_TOKEN, carriers }
  return {
    name: "run-token",
    scope: "function:run",
    grants: BOUND_TOKEN_GRANTS,
    async identify(headers, services) {
      const token = await identifyBoundToken(kind, headers, services)
      if (token === null) return null
      const { id, claims, expiry, identity } = token
      return {
        ...identity,
        principal: { ...identity.principal, functionName: claims.function, tokenId: id, tokenExpiry: expiry },
        actor: { type: "run-token", id },
      }
    },
  }
}

/** Marks a token as used. @throws ForbiddenError when it was used before: of many concurrent calls one succeeds */
export async function useRunToken(
  runsTable: Table,
  { tokenId, tokenExpiry }: RunTokenPrincipal,
): Promise<void> {
  const expiresAt = Math.ceil(tokenExpiry / 1000) + MARGIN_SECONDS
  const isFirst = await runsTable.create(
    { pk: `run-token#${tokenId}`, sk: "used" },
    { expiresAt, revision: 1 },
  )
  if (!isFirst) throw new ForbiddenError("The run token has already been used.")
}
