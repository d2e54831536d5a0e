import * as z from "zod"
import { always, type Circumstance, type MessageOf, onlyWhen, optional, requiredWhen } from "./field.ts"
import {
  asciiText,
  bag,
  code,
  codesTo,
  country,
  currency,
  date,
  digits,
  messageExtension,
  minute,
  month,
  phone,
  second,
  text,
  url,
  uuid,
  yesNo,
} from "./formats.ts"

const BROWSER: Circumstance = { deviceChannel: ["02"] }
const MERCHANT_INITIATED: Circumstance = { deviceChannel: ["03"] }
const PAYMENT: Circumstance = { messageCategory: ["01"] }
const SCRIPTED: Circumstance = { deviceChannel: ["02"], browserJavascriptEnabled: [true] }

/** Some purposes of non-payments concern a payment. */
const NON_PAYMENT = { messageCategory: ["02"] } as const
const PURCHASE_2_2: readonly Circumstance[] = [
  PAYMENT,
  { ...NON_PAYMENT, threeDSRequestorAuthenticationInd: ["02", "03"] },
  { ...NON_PAYMENT, threeRIInd: ["01", "02", "06", "07", "08", "09", "11"] },
]
const PURCHASE_2_3: readonly Circumstance[] = [
  PAYMENT,
  { ...NON_PAYMENT, threeDSRequestorAuthenticationInd: ["02", "03", "07", "08", "09"] },
  { ...NON_PAYMENT, threeRIInd: ["01", "02", "06", "07", "08", "09", "11", "15"] },
]
const INSTALMENTS: readonly Circumstance[] = [
  { threeDSRequestorAuthenticationInd: ["03"] },
  { threeRIInd: ["02"] },
]
const RECURRING: readonly Circumstance[] = [
  { threeDSRequestorAuthenticationInd: ["02", "03"] },
  { threeRIInd: ["01", "02"] },
]
/** In 2.3.1, `recurringInd` describes what recurs. */
const FIXED_AMOUNT: readonly Circumstance[] = [{ "recurringInd.amountInd": ["01"] }]
const FIXED_FREQUENCY: readonly Circumstance[] = [{ "recurringInd.frequencyInd": ["01"] }]

const amount = digits(1, 48)
const exponent = digits(1)

const authenticationInfo = z.object({
  threeDSReqAuthMethod: codesTo(11).optional(),
  threeDSReqAuthTimestamp: minute.optional(),
  threeDSReqAuthData: text(20_000).optional(),
})
const priorAuthenticationInfo = z.object({
  threeDSReqPriorRef: text(36).optional(),
  threeDSReqPriorAuthMethod: codesTo(7).optional(),
  threeDSReqPriorAuthTimestamp: minute.optional(),
  threeDSReqPriorAuthData: text(2_048).optional(),
})

const AGAINST_CHALLENGE: ReadonlySet<string> = new Set(["02", "05", "06", "07", "08", "10", "11"])
const FOR_CHALLENGE: ReadonlySet<string> = new Set(["03", "04", "09", "12", "14"])

/** In order of preference. A challenge cannot be both wanted and unwanted. */
const wishes = z
  .array(codesTo(14))
  .min(1)
  .max(2)
  .refine(
    (codes) =>
      !codes.some((each) => FOR_CHALLENGE.has(each)) || !codes.some((each) => AGAINST_CHALLENGE.has(each)),
    "Wishes that do not conflict",
  )

const address = <Kind extends "bill" | "ship">(kind: Kind) => {
  const state: Circumstance = { [`${kind}AddrState`]: "present" }
  return {
    city: optional(text(50)),
    line: optional(text(50)),
    postCode: optional(text(16)),
    state: optional(text(3)),
    country: requiredWhen(country, state),
  }
}
const bill = address("bill")
const ship = address("ship")

const purchase = (circumstances: readonly Circumstance[]) => ({
  purchaseAmount: onlyWhen(amount, circumstances),
  purchaseCurrency: onlyWhen(currency, circumstances),
  purchaseExponent: onlyWhen(exponent, circumstances),
  purchaseDate: onlyWhen(second, circumstances),
})

const common = {
  messageType: always(z.literal("AReq")),
  threeDSServerTransID: always(uuid),
  threeDSServerRefNumber: always(text(32)),
  threeDSServerOperatorID: optional(text(32)),
  threeDSServerURL: always(url(2_048)),
  threeDSRequestorID: always(text(35)),
  threeDSRequestorName: always(text(40)),
  threeDSRequestorURL: always(url(2_048)),
  deviceChannel: always(z.enum(["02", "03"])),
  messageCategory: always(z.enum(["01", "02"])),
  acctNumber: always(digits(13, 19)),
  cardExpiryDate: optional(month),
  threeDSCompInd: onlyWhen(z.enum(["Y", "N", "U"]), [BROWSER]),
  notificationURL: onlyWhen(url(256), [BROWSER]),
  acquirerBIN: requiredWhen(text(11), PAYMENT),
  acquirerMerchantID: requiredWhen(text(35), PAYMENT),
  mcc: requiredWhen(digits(4), PAYMENT),
  merchantCountryCode: requiredWhen(country, PAYMENT),
  merchantName: requiredWhen(text(40), PAYMENT),
  purchaseInstalData: onlyWhen(
    z.string().regex(/^(?:[2-9]|[1-9][0-9]|[1-9][0-9]{2})$/, "2 to 999"),
    INSTALMENTS,
  ),
  billAddrCity: bill.city,
  billAddrLine1: bill.line,
  billAddrLine2: bill.line,
  billAddrLine3: bill.line,
  billAddrPostCode: bill.postCode,
  billAddrState: bill.state,
  billAddrCountry: bill.country,
  shipAddrCity: ship.city,
  shipAddrLine1: ship.line,
  shipAddrLine2: ship.line,
  shipAddrLine3: ship.line,
  shipAddrPostCode: ship.postCode,
  shipAddrState: ship.state,
  shipAddrCountry: ship.country,
  homePhone: optional(phone),
  mobilePhone: optional(phone),
  workPhone: optional(phone),
  email: optional(text(254)),
  acctInfo: optional(bag(2_048)),
  merchantRiskIndicator: optional(bag(2_048)),
  acctID: optional(text(64)),
  addrMatch: optional(yesNo, BROWSER),
  // The directory server adds these for the access control server.
  dsReferenceNumber: optional(text(32)),
  dsTransID: optional(uuid),
  dsURL: optional(url(2_048)),
  acctType: optional(codesTo(3)),
  transType: optional(code("01", "03", "10", "11", "28"), PAYMENT),
  payTokenInd: optional(z.literal(true)),
  payTokenSource: onlyWhen(codesTo(2), [{ payTokenInd: [true] }]),
  browserAcceptHeader: onlyWhen(text(2_048), [BROWSER]),
  browserUserAgent: onlyWhen(text(2_048), [BROWSER]),
  browserIP: optional(z.union([z.ipv4().max(45), z.ipv6().max(45)]), BROWSER),
  browserJavascriptEnabled: onlyWhen(z.boolean(), [BROWSER]),
  browserJavaEnabled: onlyWhen(z.boolean(), [SCRIPTED]),
  browserScreenHeight: onlyWhen(digits(1, 6), [SCRIPTED]),
  browserScreenWidth: onlyWhen(digits(1, 6), [SCRIPTED]),
  browserTZ: onlyWhen(z.string().regex(/^[+-]?[0-9]{1,4}$/, "Minutes"), [SCRIPTED]),
} as const

const COLOR_DEPTHS = ["1", "4", "8", "15", "16", "24", "32", "48"] as const

/** The authentication request of 2.2.0. */
export const AREQ_2_2_0 = {
  ...common,
  ...purchase(PURCHASE_2_2),
  messageVersion: always(z.literal("2.2.0")),
  threeDSRequestorAuthenticationInd: onlyWhen(codesTo(6), [BROWSER]),
  threeRIInd: onlyWhen(codesTo(11), [MERCHANT_INITIATED]),
  threeDSRequestorChallengeInd: optional(codesTo(9), BROWSER),
  threeDSRequestorAuthenticationInfo: optional(authenticationInfo, BROWSER),
  threeDSRequestorPriorAuthenticationInfo: optional(priorAuthenticationInfo),
  recurringExpiry: onlyWhen(date, RECURRING),
  recurringFrequency: onlyWhen(digits(1, 4), RECURRING),
  cardholderName: optional(asciiText(2, 45)),
  whiteListStatus: optional(yesNo),
  whiteListStatusSource: onlyWhen(codesTo(3), [{ whiteListStatus: "present" }]),
  messageExtension: optional(messageExtension("2.2.0")),
  browserLanguage: onlyWhen(text(8), [BROWSER]),
  browserColorDepth: onlyWhen(z.enum(COLOR_DEPTHS), [SCRIPTED]),
} as const

/** The authentication request of 2.3.1. */
export const AREQ_2_3_1 = {
  ...common,
  ...purchase(PURCHASE_2_3),
  messageVersion: always(z.literal("2.3.1")),
  cardSecurityCode: optional(digits(3, 4)),
  taxId: optional(text(45)),
  acquirerCountryCode: always(country),
  acquirerCountryCodeSource: always(codesTo(2)),
  threeDSRequestorAuthenticationInd: onlyWhen(codesTo(10), [BROWSER]),
  threeRIInd: onlyWhen(codesTo(19), [MERCHANT_INITIATED]),
  threeDSRequestorChallengeInd: optional(wishes),
  threeDSRequestorAuthenticationInfo: optional(z.array(authenticationInfo).min(1).max(3)),
  threeDSRequestorPriorAuthenticationInfo: optional(z.array(priorAuthenticationInfo).min(1).max(3)),
  recurringInd: onlyWhen(
    z.object({ amountInd: z.enum(["01", "02"]), frequencyInd: z.enum(["01", "02"]) }),
    RECURRING,
  ),
  recurringAmount: onlyWhen(amount, FIXED_AMOUNT),
  recurringCurrency: onlyWhen(currency, FIXED_AMOUNT),
  recurringExponent: onlyWhen(exponent, FIXED_AMOUNT),
  recurringDate: onlyWhen(date, FIXED_FREQUENCY),
  recurringExpiry: optional(date, ...RECURRING),
  recurringFrequency: onlyWhen(digits(1, 4), FIXED_FREQUENCY),
  cardholderName: optional(asciiText(1, 45)),
  sellerInfo: optional(z.array(bag(2_048)).min(1).max(50)),
  multiTransaction: optional(bag(8_192)),
  broadInfo: optional(bag(4_096)),
  trustListStatus: optional(yesNo),
  trustListStatusSource: onlyWhen(codesTo(3), [{ trustListStatus: "present" }]),
  messageExtension: optional(messageExtension("2.3.1")),
  acceptLanguage: onlyWhen(z.array(text(100)).min(1).max(99), [BROWSER]),
  deviceId: optional(text(64), BROWSER),
  userId: optional(text(64), BROWSER),
  threeDSMethodId: optional(text(36), BROWSER),
  browserLanguage: onlyWhen(text(35), [SCRIPTED], [BROWSER]),
  browserColorDepth: onlyWhen(digits(1, 2), [SCRIPTED]),
} as const

export type AReq2_2_0 = MessageOf<typeof AREQ_2_2_0>
export type AReq2_3_1 = MessageOf<typeof AREQ_2_3_1>
/** The authentication request, from the 3DS server to the directory server. */
export type AReq = AReq2_2_0 | AReq2_3_1
