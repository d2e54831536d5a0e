import type { App } from "@sealway/accounts"
import type { Effect } from "@sealway/http"
import { NotFoundError } from "@sealway/kernel"
import type { FilteredPage, RecordPageRequest } from "@sealway/ports"
import type { AuditAuthor } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import { deleteEnrolled } from "../enrolments/change-enrolled.ts"
import { type KeepingDependencies, requireEnrolled } from "../enrolments/keep-enrolled.ts"
import { pageEnrolled } from "../enrolments/page-enrolled.ts"
import type { CardArtAnswer, TokenStatus } from "../networks/messages/network-token.ts"
import { type NetworkToken, tokenReferenceOf } from "./network-token.ts"
import { NETWORK_TOKENS } from "./network-token-kind.ts"
import { refuseToken } from "./network-token-refusal.ts"

/** Finds a network token. @throws NotFoundError */
export function requireNetworkToken(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring">,
  app: App,
  id: string,
): Promise<NetworkToken> {
  return requireEnrolled(NETWORK_TOKENS, dependencies, app, id)
}

export interface NetworkTokenFilter extends RecordPageRequest {
  /** Id. */
  readonly merchant?: string | undefined
  readonly status?: TokenStatus | undefined
  /** Four digits, of the card. */
  readonly lastFour?: string | undefined
}

/** Lists network tokens, newest first. */
export function listNetworkTokens(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring" | "log">,
  app: App,
  { merchant, status, lastFour, ...page }: NetworkTokenFilter,
): Promise<FilteredPage<NetworkToken>> {
  return pageEnrolled(
    NETWORK_TOKENS,
    dependencies,
    app,
    page,
    ({ details }) =>
      (merchant === undefined || details.merchantId === merchant) &&
      (status === undefined || details.status === status) &&
      (lastFour === undefined || details.card.lastFour === lastFour),
  )
}

/**
 * Deletes a token, at the network too: it is immediately gone for all callers, and stored until the network knows.
 *
 * @throws NotFoundError, ConflictError when others keep changing it
 */
export function deleteNetworkToken(
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  return deleteEnrolled(NETWORK_TOKENS, dependencies, app, id, author)
}

/** A cryptogram for one payment. It is returned once, and never stored. */
export interface Cryptogram {
  readonly id: string
  /** Base64. */
  readonly cryptogram: string
  readonly eci?: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/**
 * Issues a cryptogram.
 *
 * @param effect the request's effect: repeating a request that may have returned a cryptogram is refused
 * @throws NotFoundError, ApiError `payments/network-tokens/token-not-active`, `service-unavailable`
 */
export async function issueCryptogram(
  dependencies: Pick<
    PaymentDependencies,
    "paymentsTable" | "keyring" | "cardNetworkOf" | "draws" | "wallClock"
  >,
  app: App,
  id: string,
  effect: Effect,
): Promise<Cryptogram> {
  const { cardNetworkOf, draws, wallClock } = dependencies
  const { details } = await requireNetworkToken(dependencies, app, id)
  if (details.status !== "active") throw refuseToken("token-not-active")
  const createdAt = wallClock()
  const cryptogramId = draws.newId("network_token_cryptogram", createdAt)
  effect.begin()
  const answer = await cardNetworkOf(app).cryptogram({
    reference: tokenReferenceOf(id),
    cryptogram: cryptogramId,
    tokenServiceProvider: details.tokenServiceProvider,
  })
  if (answer.result === "refused") {
    effect.undo()
    throw refuseToken("token-not-active")
  }
  const { cryptogram, eci } = answer
  return { id: cryptogramId, cryptogram, ...(eci !== undefined && { eci }), createdAt }
}

/**
 * Returns the card art of a token.
 *
 * @throws NotFoundError when there is no token, or it has none; ApiError `service-unavailable`
 */
export async function requireCardArt(
  dependencies: Pick<PaymentDependencies, "paymentsTable" | "keyring" | "cardNetworkOf">,
  app: App,
  id: string,
): Promise<NonNullable<CardArtAnswer["art"]>> {
  const { details } = await requireNetworkToken(dependencies, app, id)
  const { tokenServiceProvider } = details
  const { art } = await dependencies
    .cardNetworkOf(app)
    .cardArt({ reference: tokenReferenceOf(id), tokenServiceProvider })
  if (art === null) throw new NotFoundError("The card art")
  return art
}
