import { COUNTRIES } from "@sealway/bins"
import type { AReq, MessageVersion } from "@sealway/three-d-secure"
import type { Initiator, Session, SessionDetails } from "../record/session.ts"
import { notificationUrl, resultsUrl } from "../record/session-urls.ts"
import { browserElements, browserElementsOf2_2, browserElementsOf2_3 } from "./areq-browser.ts"
import { customerElements } from "./areq-customer.ts"
import {
  installmentElements,
  minuteOf,
  purchaseElements,
  recurringElementsOf2_2,
  recurringElementsOf2_3,
} from "./areq-payment.ts"

/** EMVCo would assign this to a certified 3DS server; a connector replaces it by its own. */
const REFERENCE_NUMBER = "SEALWAY"

const AUTHENTICATION = { "one-off": "01", recurring: "02", installment: "03", none: "04" } as const

const INITIATIONS = {
  recurring: "01",
  installment: "02",
  "add-card": "03",
  "maintain-card": "04",
  "account-verification": "05",
  "split-shipment": "06",
  "mail-order": "08",
  "telephone-order": "09",
  "other-payment": "11",
} as const

const WISHES = { "no-preference": "01", "challenge-requested": "03", "challenge-mandated": "04" } as const

const EXEMPTIONS = {
  "data-sharing": "06",
  "low-risk": "05",
  "authentication-already-performed": "07",
  "low-value": "10",
  "secure-corporate-payment": "11",
} as const
/** Reasons without a code in 2.2.0 are sent as a plain request. */
const PLAIN_NO_CHALLENGE = "02"

const PRIOR_METHODS = { frictionless: "01", challenge: "02", attempt: "04" } as const

export interface AReqInput {
  readonly session: Session
  /** The card number in the clear. */
  readonly number: string
  /** Proves to the receiver of results that the network sent them. */
  readonly resultsProof: string
}

/** Builds the request that a session sends to its network: always the same one. */
export function buildAReq(input: AReqInput): AReq {
  const { details, progress, createdAt } = input.session
  const { payment, initiator, challenge, prior, customer } = details
  const { browser, fingerprint } = progress
  const common = {
    ...partyElements(input),
    ...customerElements(customer),
    ...(payment !== null && purchaseElements(payment, createdAt)),
    ...(payment !== null && isInInstallments(initiator) && installmentElements(payment)),
    ...(browser !== null && browserElements(browser, fingerprint, details.methodUrl !== null)),
  }
  const priorAuthentication = prior && {
    threeDSReqPriorRef: prior.reference,
    threeDSReqPriorAuthMethod: PRIOR_METHODS[prior.flow],
    threeDSReqPriorAuthTimestamp: minuteOf(prior.at),
  }
  const purpose =
    initiator.type === "customer"
      ? { threeDSRequestorAuthenticationInd: AUTHENTICATION[payment?.type ?? "none"] }
      : { threeRIInd: initiationOf(initiator, details.version) }
  if (details.version === "2.2.0") {
    return {
      ...common,
      ...purpose,
      messageVersion: "2.2.0",
      ...(browser !== null && browserElementsOf2_2(browser)),
      ...(initiator.type === "customer" && { threeDSRequestorChallengeInd: wishOf(challenge, "2.2.0") }),
      ...(payment !== null && recursIn(details) && recurringElementsOf2_2(payment, createdAt)),
      ...(priorAuthentication && { threeDSRequestorPriorAuthenticationInfo: priorAuthentication }),
    }
  }
  const taxId = customer?.billing?.taxIdentifier
  return {
    ...common,
    ...purpose,
    messageVersion: "2.3.1",
    acquirerCountryCode: numericCountry(details.acquirer.country),
    acquirerCountryCodeSource: "01",
    ...(browser !== null && browserElementsOf2_3(browser)),
    threeDSRequestorChallengeInd: [wishOf(challenge, "2.3.1")],
    ...(payment !== null && recursIn(details) && recurringElementsOf2_3(payment, createdAt)),
    ...(priorAuthentication && { threeDSRequestorPriorAuthenticationInfo: [priorAuthentication] }),
    ...(taxId !== undefined && { taxId }),
  }
}

function partyElements({ session, number, resultsProof }: AReqInput) {
  const { details, transactionId, appId } = session
  const { merchant, acquirer, card, payment, initiator, serviceOrigin } = details
  const place = { serviceOrigin, appId, transactionId }
  const isBrowser = initiator.type === "customer"
  return {
    messageType: "AReq",
    threeDSServerTransID: transactionId,
    threeDSServerRefNumber: REFERENCE_NUMBER,
    threeDSServerURL: resultsUrl(place, resultsProof),
    threeDSRequestorID: merchant.id ?? appId,
    threeDSRequestorName: merchant.name,
    threeDSRequestorURL: merchant.website,
    deviceChannel: isBrowser ? "02" : "03",
    messageCategory: payment === null ? "02" : "01",
    acctNumber: number,
    cardExpiryDate: card.expiry.year + card.expiry.month,
    acquirerBIN: acquirer.bin,
    acquirerMerchantID: acquirer.merchantIdentifier,
    mcc: merchant.categoryCode,
    merchantCountryCode: numericCountry(merchant.country),
    merchantName: merchant.name,
    ...(isBrowser && { notificationURL: notificationUrl(place) }),
  } as const
}

/** In a customer-initiated session the payment says so, in a merchant-initiated one the reason. */
function isInInstallments(initiator: Initiator): boolean {
  return initiator.type === "customer" || initiator.reason === "installment"
}

/** Whether the purpose of the request is one that describes recurring payments. */
function recursIn({ initiator, payment }: SessionDetails): boolean {
  if (initiator.type === "customer") return payment?.type !== "one-off"
  return initiator.reason === "recurring" || initiator.reason === "installment"
}

function initiationOf({ reason }: Extract<Initiator, { type: "merchant" }>, version: MessageVersion): string {
  if (reason === "delayed-shipment") return version === "2.2.0" ? "06" : "15"
  return INITIATIONS[reason]
}

function wishOf({ preference, reason }: SessionDetails["challenge"], version: MessageVersion): string {
  if (preference !== "no-challenge-requested") return WISHES[preference]
  if (reason === null) return PLAIN_NO_CHALLENGE
  const isUnknown = version === "2.2.0" && (reason === "low-value" || reason === "secure-corporate-payment")
  return isUnknown ? PLAIN_NO_CHALLENGE : EXEMPTIONS[reason]
}

/** The country is in the table, because requests are refused otherwise. */
const numericCountry = (country: string): string => COUNTRIES.get(country) ?? ""
