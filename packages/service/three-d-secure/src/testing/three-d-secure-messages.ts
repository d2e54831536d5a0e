import type { AReq2_2_0, AReq2_3_1 } from "../three-d-secure/messages/areq.ts"
import type { ARes } from "../three-d-secure/messages/ares.ts"
import type { RReq } from "../three-d-secure/messages/results.ts"
import type { MessageVersion } from "../three-d-secure/messages/versions.ts"

export const SERVER_ID = "11111111-1111-4111-8111-111111111111"
export const DS_ID = "22222222-2222-4222-8222-222222222222"
export const ACS_ID = "33333333-3333-4333-8333-333333333333"
export const AUTHENTICATION_VALUE = Buffer.alloc(20, 7).toString("base64")

const server = {
  messageType: "AReq",
  threeDSServerTransID: SERVER_ID,
  threeDSServerRefNumber: "3DS_LOA_SER_TEST",
  threeDSServerURL: "https://sealway.example.com/results",
  threeDSRequestorID: "requestor-1",
  threeDSRequestorName: "A shop",
  threeDSRequestorURL: "https://shop.example.com",
  acctNumber: "4000000000003030",
  cardExpiryDate: "3112",
} as const

const acquirer = {
  acquirerBIN: "400000",
  acquirerMerchantID: "merchant-1",
  mcc: "5411",
  merchantCountryCode: "276",
  merchantName: "A shop",
} as const

const purchase = {
  purchaseAmount: "1099",
  purchaseCurrency: "978",
  purchaseExponent: "2",
  purchaseDate: "20300101120000",
} as const

const browser = {
  deviceChannel: "02",
  threeDSCompInd: "Y",
  notificationURL: "https://sealway.example.com/challenge-result",
  threeDSRequestorAuthenticationInd: "01",
  browserAcceptHeader: "text/html",
  browserUserAgent: "Mozilla/5.0",
  browserIP: "203.0.113.9",
  browserJavascriptEnabled: true,
  browserJavaEnabled: false,
  browserLanguage: "de-DE",
  browserColorDepth: "24",
  browserScreenHeight: "1080",
  browserScreenWidth: "1920",
  browserTZ: "-120",
} as const

/** A payment in a browser, 2.2.0. */
export const BROWSER_2_2_0 = {
  ...server,
  ...acquirer,
  ...purchase,
  ...browser,
  messageVersion: "2.2.0",
  messageCategory: "01",
} as const satisfies AReq2_2_0

/** A payment in a browser, 2.3.1. */
export const BROWSER_2_3_1: AReq2_3_1 = {
  ...server,
  ...acquirer,
  ...purchase,
  ...browser,
  messageVersion: "2.3.1",
  messageCategory: "01",
  acquirerCountryCode: "276",
  acquirerCountryCodeSource: "01",
  acceptLanguage: ["de-DE", "en"],
}

/** A recurring payment initiated by the merchant, 2.2.0. */
export const MERCHANT_2_2_0: AReq2_2_0 = {
  ...server,
  ...acquirer,
  ...purchase,
  messageVersion: "2.2.0",
  deviceChannel: "03",
  messageCategory: "01",
  threeRIInd: "01",
  recurringExpiry: "20321231",
  recurringFrequency: "30",
}

/** The same in 2.3.1. */
export const MERCHANT_2_3_1: AReq2_3_1 = {
  ...server,
  ...acquirer,
  ...purchase,
  messageVersion: "2.3.1",
  deviceChannel: "03",
  messageCategory: "01",
  threeRIInd: "01",
  acquirerCountryCode: "276",
  acquirerCountryCodeSource: "01",
  recurringInd: { amountInd: "01", frequencyInd: "01" },
  recurringAmount: "1099",
  recurringCurrency: "978",
  recurringExponent: "2",
  recurringDate: "20300201",
  recurringFrequency: "30",
}

/** Adding a card in a browser: no payment. */
export const ADD_CARD_2_2_0: AReq2_2_0 = {
  ...server,
  ...browser,
  messageVersion: "2.2.0",
  messageCategory: "02",
  threeDSRequestorAuthenticationInd: "04",
}

const ids = { threeDSServerTransID: SERVER_ID, dsTransID: DS_ID, acsTransID: ACS_ID } as const

export function aresOf(messageVersion: MessageVersion, transStatus: "Y" | "N" | "U" | "A" | "C" | "R"): ARes {
  const fields = {
    messageType: "ARes",
    ...ids,
    dsReferenceNumber: "DS_TEST",
    acsReferenceNumber: "ACS_TEST",
    transStatus,
    ...("NUR".includes(transStatus) && { transStatusReason: "01" }),
    ...("YA".includes(transStatus) && { authenticationValue: AUTHENTICATION_VALUE, eci: "05" }),
    ...(transStatus === "C" && {
      acsURL: "https://acs.example.com/challenge",
      acsChallengeMandated: "Y" as const,
    }),
  } as const
  const isChallenge = transStatus === "C"
  return messageVersion === "2.2.0"
    ? { ...fields, messageVersion, ...(isChallenge && { authenticationType: "02" }) }
    : { ...fields, messageVersion, ...(isChallenge && { authenticationMethod: ["02"] }) }
}

export function rreqOf(messageVersion: MessageVersion, transStatus: "Y" | "N" | "U" | "A" | "R"): RReq {
  const fields = {
    messageType: "RReq",
    ...ids,
    messageCategory: "01",
    transStatus,
    interactionCounter: "01",
    ...("NUR".includes(transStatus) && { transStatusReason: "01" }),
    ...("YA".includes(transStatus) && { authenticationValue: AUTHENTICATION_VALUE, eci: "05" }),
  } as const
  const isDecided = "YN".includes(transStatus)
  return messageVersion === "2.2.0"
    ? { ...fields, messageVersion, ...(isDecided && { authenticationType: "02" }) }
    : { ...fields, messageVersion, ...(isDecided && { authenticationMethod: ["02"] }) }
}
