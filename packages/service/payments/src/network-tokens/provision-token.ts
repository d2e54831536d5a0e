import type { App } from "@sealway/accounts"
import { audited, authorOf } from "@sealway/records"
import type * as z from "zod"
import { type CardDataSender, cardNumberToken } from "../card-number-of.ts"
import type { CardExpiry } from "../cards/card.ts"
import { type CardFacts, factsOfNumber } from "../cards/card-facts.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { workOf } from "../enrolments/enrolled-kind.ts"
import { findEnrolment } from "../enrolments/enrolled-record.ts"
import { entryOf, makeEnrolled, storedRecord, wakeWorker } from "../enrolments/keep-enrolled.ts"
import { namePending, removePending } from "../enrolments/pending-enrolments.ts"
import { holdMerchantWhileThere, requireMerchant } from "../merchants/manage-merchants.ts"
import { type Merchant, type TokenBrand, tokenService } from "../merchants/merchant.ts"
import { releaseMerchant } from "../merchants/merchant-uses.ts"
import type { ProvisionTokenAnswer } from "../networks/messages/network-token.ts"
import { type CardToTokenize, cardToTokenize, type cardToTokenizeSchema } from "./card-to-tokenize.ts"
import {
  type NetworkToken,
  type NetworkTokenDetails,
  newNetworkToken,
  PROVIDERS,
  tokenReferenceOf,
} from "./network-token.ts"
import { NETWORK_TOKENS } from "./network-token-kind.ts"
import { refuseToken } from "./network-token-refusal.ts"

export interface NetworkTokenInput {
  readonly card: z.infer<typeof cardToTokenizeSchema>
  /** Id. */
  readonly merchant: string
}

/** The request for a token. */
interface TokenRequest {
  readonly id: string
  readonly merchant: Merchant
  readonly card: CardToTokenize
  readonly brand: TokenBrand
  readonly facts: CardFacts
  readonly tokenRequestorIdentifier: string
  /** Epoch milliseconds. */
  readonly nowMs: number
}

/**
 * Provisions a network token of a card for a merchant. The request to the network is recorded first, under the token's
 * future id: if the request dies, the network is told after a day to delete what it created.
 *
 * @throws NotFoundError for a merchant or a card that the app does not have
 * @throws InvalidRequestError, DecryptionForbiddenError naming the field of the card that cannot be read
 * @throws ApiError `payments/network-tokens/…` when there is no token, `service-unavailable` when the network does not
 * answer
 */
export async function provisionToken(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  { card: given, merchant: merchantId }: NetworkTokenInput,
): Promise<NetworkToken> {
  const { app } = sender.principal
  const { paymentsTable, cardNetworkOf, draws, wallClock, audit } = dependencies
  const merchant = await requireMerchant(dependencies, app, merchantId)
  const card = await cardToTokenize(dependencies, sender, given)
  await dependencies.requireCardNetwork(app)
  const { brand, facts } = await eligibleBrandOf(dependencies, app, card)
  const nowMs = wallClock()
  if (isExpired(card.expiry, nowMs)) throw refuseToken("expired-card")
  const tokenRequestorIdentifier = requestorOf(merchant, brand)
  const id = draws.newId("network_token", nowMs)
  const wanted = { id, merchant, card, brand, facts, tokenRequestorIdentifier, nowMs }

  await holdMerchantWhileThere(dependencies, app, merchantId, { type: "network-token", id, since: nowMs })
  const work = workOf(NETWORK_TOKENS, app, id)
  await namePending(paymentsTable, work, nowMs, 1)
  const answer = await cardNetworkOf(app, wallClock).provisionToken(requestOf(wanted))
  if (answer.result === "refused") {
    await removePending(paymentsTable, { work, namedAt: nowMs, revision: 1 })
    await releaseMerchant(paymentsTable, app.id, merchantId, id)
    throw refuseToken(answer.reason)
  }
  const details = await detailsOf(dependencies, app, wanted, answer)
  const token = newNetworkToken(id, app.id, details, answer, nowMs)
  return audited(audit, entryOf(NETWORK_TOKENS, app, id, "create", authorOf(sender.caller)), async () => {
    if (!(await makeEnrolled(NETWORK_TOKENS, dependencies, app, token))) {
      throw new Error("The new record's id is taken")
    }
    // The worker removes the entry of the request.
    const stored = await storedRecord(NETWORK_TOKENS, dependencies, app, token)
    await wakeWorker(NETWORK_TOKENS, dependencies, app, token, { isNamed: true })
    return stored
  })
}

async function eligibleBrandOf(
  dependencies: PaymentDependencies,
  app: App,
  { digits }: CardToTokenize,
): Promise<{ readonly brand: TokenBrand; readonly facts: CardFacts }> {
  const { facts, isNetworkToken } = await factsOfNumber(dependencies, app, digits)
  const { brand } = facts
  if (isNetworkToken || brand === undefined || !isTokenBrand(brand)) throw refuseToken("ineligible-card")
  return { brand, facts }
}

function isTokenBrand(brand: string): brand is TokenBrand {
  return Object.hasOwn(PROVIDERS, brand)
}

/** A card is valid until the end of its month (UTC). */
function isExpired({ month, year }: CardExpiry, nowMs: number): boolean {
  const now = new Date(nowMs)
  const months = (Number(year) + 2000) * 12 + Number(month) - 1
  return months < now.getUTCFullYear() * 12 + now.getUTCMonth()
}

function requestorOf(merchant: Merchant, brand: TokenBrand): string {
  const enrolment = findEnrolment(merchant, tokenService(brand))
  const identifier = enrolment?.identifier ?? merchant.details.heldIdentifiers[brand] ?? null
  if (enrolment?.status !== "active" || identifier === null) throw refuseToken("merchant-not-ready")
  return identifier
}

function requestOf({ id, merchant, card, brand, tokenRequestorIdentifier, nowMs }: TokenRequest) {
  const { digits, expiry, cvc } = card
  return {
    reference: tokenReferenceOf(id),
    requestedAt: nowMs,
    tokenServiceProvider: PROVIDERS[brand],
    tokenRequestorIdentifier,
    merchant: { id: merchant.id },
    card: { number: digits, expiry: { ...expiry }, ...(cvc !== null && { cvc }) },
  }
}

async function detailsOf(
  dependencies: PaymentDependencies,
  app: App,
  { merchant, card, brand, facts, tokenRequestorIdentifier }: TokenRequest,
  { token }: Extract<ProvisionTokenAnswer, { result: "provisioned" }>,
): Promise<NetworkTokenDetails> {
  return {
    merchantId: merchant.id,
    number: await cardNumberToken(dependencies, app, { digits: token.number, token: null }),
    expiry: token.expiry,
    status: token.status,
    card: { lastFour: card.digits.slice(-4), expiry: { ...card.expiry }, facts },
    tokenRequestorIdentifier,
    paymentAccountReference: token.paymentAccountReference ?? null,
    tokenServiceProvider: PROVIDERS[brand],
  }
}
