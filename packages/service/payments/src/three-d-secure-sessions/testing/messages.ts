import type { ARes, CRes, RReq } from "@sealway/three-d-secure"
import { newSession, type SessionDetails } from "../record/session.ts"

export const NOW_MS = 1_700_000_000_000
export const TRANSACTION = "11111111-1111-4111-8111-111111111111"
export const DS_TRANSACTION = "22222222-2222-4222-8222-222222222222"
export const ACS_TRANSACTION = "33333333-3333-4333-8333-333333333333"
/** Base64 of 20 bytes that occur only in a cryptogram. */
export const CRYPTOGRAM = Buffer.from("marker-of-cryptogram").toString("base64")

export const DETAILS: SessionDetails = {
  merchant: {
    id: null,
    name: "Shop",
    website: "https://shop.example.com",
    categoryCode: "5411",
    country: "ie",
  },
  acquirer: { id: null, bin: "400000", merchantIdentifier: "123456", country: "ie" },
  card: {
    lastFour: "4242",
    expiry: { month: "09", year: "39" },
    brand: "visa",
    funding: "credit",
    segment: null,
    country: "us",
    currency: "usd",
  },
  payment: { type: "one-off", amount: 1_000, currency: "eur" },
  customer: null,
  challenge: { preference: "no-preference", reason: null },
  initiator: { type: "customer" },
  prior: null,
  version: "2.2.0",
  directoryServer: "visa",
  methodUrl: null,
  obstacle: null,
  serviceOrigin: "https://api.example.com",
}

export const BROWSER = {
  javaEnabled: false,
  javaScriptEnabled: true,
  language: "en-GB",
  colorDepth: 24,
  screenHeight: 1_080,
  screenWidth: 1_920,
  timeZone: -60,
  acceptHeader: "*/*",
  acceptLanguage: "en-GB,en;q=0.9",
  userAgent: "Test",
  ip: "192.0.2.1",
}

export const sampleSession = (details: Partial<SessionDetails> = {}) =>
  newSession(
    {
      id: "tds_00000000000000000000000001",
      appId: "app_1",
      transactionId: TRANSACTION,
      number: "4242424242424242",
      pageToken: "token",
      details: { ...DETAILS, ...details },
    },
    NOW_MS,
  )

const IDS = {
  messageVersion: "2.2.0",
  threeDSServerTransID: TRANSACTION,
  dsTransID: DS_TRANSACTION,
  acsTransID: ACS_TRANSACTION,
} as const

type Status = "Y" | "N" | "U" | "A" | "R"

const reasonOf = (transStatus: string) =>
  ["N", "U", "R"].includes(transStatus) ? { transStatusReason: "01" } : {}
const proofOf = (transStatus: string) =>
  ["Y", "A"].includes(transStatus) ? { authenticationValue: CRYPTOGRAM } : {}

export function sampleARes(transStatus: Status | "C" | "I" | "D"): ARes {
  return {
    messageType: "ARes",
    ...IDS,
    dsReferenceNumber: "DS",
    acsReferenceNumber: "ACS",
    transStatus,
    ...reasonOf(transStatus),
    ...proofOf(transStatus),
    ...(transStatus === "C" && { acsURL: "https://acs.example.com/challenge", authenticationType: "02" }),
    ...(transStatus === "C" && { acsChallengeMandated: "N" as const }),
  }
}

export function sampleRReq(transStatus: Status, challengeCancel?: string): RReq {
  return {
    messageType: "RReq",
    ...IDS,
    messageCategory: "01",
    transStatus,
    interactionCounter: "01",
    ...reasonOf(transStatus),
    ...proofOf(transStatus),
    ...(["Y", "N"].includes(transStatus) && { authenticationType: "02" }),
    ...(challengeCancel !== undefined && { challengeCancel }),
  }
}

export function sampleCRes(transStatus: "Y" | "N"): CRes {
  const { dsTransID: _, ...ids } = IDS
  return { messageType: "CRes", ...ids, transStatus }
}
