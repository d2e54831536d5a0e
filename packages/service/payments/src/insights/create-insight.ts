import { showBinFacts } from "@sealway/bins"
import { ForbiddenError, invalidField } from "@sealway/kernel"
import { type CardDataSender, fingerprintCard, openCardData, requireCardNumber } from "../card-number-of.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { lookUpBin } from "../lookups/look-up-bin.ts"
import type { CardNetwork } from "../networks/card-network.ts"
import type { VerifyAnswer, VerifyCheck, VerifyRequest } from "../networks/messages/verify.ts"
import { checkNetworkToken, type Extension, type InsightRequest } from "./insight-request.ts"
import type { Insight } from "./insight-schema.ts"
import { showAddress, showCapabilities, showCardholder, showContact, showCvv } from "./show-checks.ts"

/** Refuses card insights without the operator's consent in production, where networks charge for checks. */
export function requireInsights({ principal: { app } }: Pick<CardDataSender, "principal">): void {
  if (app.environment === "sandbox" || app.cardInsights) return
  throw new ForbiddenError(
    "Card insights are not enabled for this app. Enable them with a team key: PATCH /apps/{app_id} with cardInsights.",
  )
}

/**
 * Checks a card with its network. Nothing of the request is stored.
 *
 * @throws ForbiddenError when the app may not ask for insights
 * @throws InvalidRequestError naming the invalid field
 * @throws DecryptionForbiddenError when the policies of a token's role do not permit decryption
 * @throws ApiError `service-unavailable` when the network cannot be asked
 */
export async function createInsight(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  request: InsightRequest,
): Promise<Insight> {
  requireInsights(sender)
  const { cardNetworkOf, draws, wallClock } = dependencies
  const { app } = sender.principal
  const { number, instrument } = await openInstrument(dependencies, sender, request)
  const wants = (extension: Extension) => request.extensions.includes(extension)
  const network = cardNetworkOf(app)
  const [match, fingerprint, answer, par] = await Promise.all([
    lookUpBin(dependencies, app, number.digits),
    fingerprintCard(dependencies, app, number),
    verify(network, instrument, request),
    wants("paymentAccountReference") ? network.par({ number: number.digits }) : null,
  ])
  const createdAt = wallClock()
  const reference = par?.paymentAccountReference ?? null
  return {
    id: draws.newId("card_insight", createdAt),
    fingerprint,
    bin: showBinFacts(match?.facts ?? {}),
    ...(wants("capabilities") && { capabilities: showCapabilities(answer) }),
    fees: null,
    ...(wants("cvv") && { cvv: showCvv(answer) }),
    ...(wants("address") && { address: showAddress(answer) }),
    ...(wants("cardholder") && { cardholder: showCardholder(answer) }),
    ...(wants("email") && { email: showContact(answer.email) }),
    ...(wants("phone") && { phone: showContact(answer.phone) }),
    ...(reference !== null && { paymentAccountReference: reference }),
    createdAt,
  }
}

/** What is checked, in the clear. */
async function openInstrument(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  { card, networkToken }: InsightRequest,
) {
  const given = new Map<string, string>()
  const add = (pointer: string, text: string | undefined) => {
    if (text !== undefined) given.set(pointer, text)
  }
  add("/card/number", card?.number)
  add("/card/cvv", card?.cvv)
  add("/networkToken/number", networkToken?.number)
  add("/networkToken/cryptogram", networkToken?.cryptogram)
  const opened = await openCardData(dependencies, sender, given)
  if (networkToken !== undefined) {
    const number = requireCardNumber("/networkToken/number", opened.get("/networkToken/number"))
    checkNetworkToken(networkToken, number.digits)
    const { brand, ...others } = networkToken
    const cryptogram = requireCryptogram(opened.get("/networkToken/cryptogram")?.text)
    const instrument: VerifyRequest["instrument"] = {
      ...others,
      type: "network-token",
      number: number.digits,
      cryptogram,
      ...(brand !== undefined && { brand: brand === "amex" ? "american-express" : brand }),
    }
    return { number, instrument }
  }
  const number = requireCardNumber("/card/number", opened.get("/card/number"))
  const cvv = opened.get("/card/cvv")?.text
  if (cvv !== undefined && !/^[0-9]{3,4}$/.test(cvv)) {
    throw invalidField("/card/cvv", "The cvv must have 3 or 4 digits.")
  }
  const instrument: VerifyRequest["instrument"] = {
    type: "card",
    number: number.digits,
    ...(card?.expiry && { expiry: card.expiry }),
    ...(cvv !== undefined && { cvv }),
  }
  return { number, instrument }
}

function requireCryptogram(text = ""): string {
  if (/^[\x21-\x7e]{1,200}$/.test(text)) return text
  throw invalidField("/networkToken/cryptogram", "The cryptogram must be 1 to 200 visible ASCII characters.")
}

/** Asks the network for the requested checks, and sends it only what they need. */
async function verify(
  network: CardNetwork,
  instrument: VerifyRequest["instrument"],
  { extensions, cardholder, address, email, phone }: InsightRequest,
): Promise<VerifyAnswer> {
  const wants = (check: VerifyCheck) => extensions.includes(check)
  const checks = [...new Set(extensions)].filter((each) => each !== "paymentAccountReference")
  if (checks.length === 0) return {}
  return network.verify({
    instrument: wants("cvv") ? instrument : withoutCvv(instrument),
    checks,
    ...(wants("cardholder") && cardholder && { cardholder }),
    ...(wants("address") && address && { address }),
    ...(wants("email") && email !== undefined && { email }),
    ...(wants("phone") && phone !== undefined && { phone }),
  })
}

function withoutCvv(instrument: VerifyRequest["instrument"]): VerifyRequest["instrument"] {
  if (instrument.type === "network-token") return instrument
  const { cvv, ...others } = instrument
  return others
}
