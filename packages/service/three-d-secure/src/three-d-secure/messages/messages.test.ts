import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  ACS_ID,
  ADD_CARD_2_2_0,
  aresOf,
  BROWSER_2_2_0,
  BROWSER_2_3_1,
  DS_ID,
  MERCHANT_2_2_0,
  MERCHANT_2_3_1,
  rreqOf,
  SERVER_ID,
} from "../../testing/three-d-secure-messages.ts"
import type { CReq, CRes } from "./challenge.ts"
import { decodeMessage, encodeMessage } from "./encode-message.ts"
import type { Erro } from "./erro.ts"
import { readMethodNotification, readMethodRequest, writeMethodData } from "./method-data.ts"
import { MAX_MEMBERS, MAX_MESSAGE_BYTES } from "./parse-message.ts"
import {
  readAReq,
  readARes,
  readCReq,
  readCRes,
  readRReq,
  readRRes,
  transactionIdOf,
} from "./read-message.ts"
import type { Reading } from "./reading.ts"
import type { RRes } from "./results.ts"
import { type Transaction, transactionOf } from "./transaction.ts"
import {
  problemOfAReq,
  writeAReq,
  writeARes,
  writeCReq,
  writeCRes,
  writeErro,
  writeRReq,
  writeRRes,
} from "./write-message.ts"

type Change = Readonly<Record<string, unknown>>
type Version = "2.2.0" | "2.3.1"

const OTHER_ID = "99999999-9999-4999-8999-999999999999"
const transactionIn = (version: Version, change: Partial<Transaction> = {}): Transaction => ({
  ...transactionOf(version === "2.2.0" ? BROWSER_2_2_0 : BROWSER_2_3_1, {
    dsTransID: DS_ID,
    acsTransID: ACS_ID,
  }),
  ...change,
})
const idsOf = (messageVersion: Version) => ({
  messageVersion,
  threeDSServerTransID: SERVER_ID,
  acsTransID: ACS_ID,
})
const creqOf = (version: Version): CReq => ({
  ...idsOf(version),
  messageType: "CReq",
  challengeWindowSize: "05",
})
const cresOf = (version: Version): CRes => ({ ...idsOf(version), messageType: "CRes", transStatus: "Y" })
const rresOf = (version: Version): RRes => ({
  ...idsOf(version),
  messageType: "RRes",
  dsTransID: DS_ID,
  resultsStatus: "01",
})

/** Returns `ok`, `Erro` for a received one, or the code and detail of the answering Erro. */
function told<Message>(reading: Reading<Message>): string {
  if (reading.kind === "message") return "ok"
  return reading.kind === "error" ? "Erro" : `${reading.answer.errorCode} ${reading.answer.errorDetail}`
}

/** Every message, and how it is read in a typical transaction. */
const MESSAGES = {
  "AReq 2.2.0 browser": [BROWSER_2_2_0, (text: string) => readAReq(text, "D")],
  "AReq 2.3.1 browser": [BROWSER_2_3_1, (text: string) => readAReq(text, "D")],
  "AReq 2.2.0 merchant": [MERCHANT_2_2_0, (text: string) => readAReq(text, "D")],
  "AReq 2.3.1 merchant": [MERCHANT_2_3_1, (text: string) => readAReq(text, "D")],
  "AReq 2.2.0 no payment": [ADD_CARD_2_2_0, (text: string) => readAReq(text, "D")],
  "ARes 2.2.0 Y": [aresOf("2.2.0", "Y"), (text: string) => readARes(text, transactionIn("2.2.0"))],
  "ARes 2.3.1 N": [aresOf("2.3.1", "N"), (text: string) => readARes(text, transactionIn("2.3.1"))],
  "ARes 2.2.0 C": [aresOf("2.2.0", "C"), (text: string) => readARes(text, transactionIn("2.2.0"))],
  "ARes 2.3.1 C": [aresOf("2.3.1", "C"), (text: string) => readARes(text, transactionIn("2.3.1"))],
  "CReq 2.2.0": [creqOf("2.2.0"), (text: string) => readCReq(text, transactionIn("2.2.0"))],
  "CRes 2.3.1": [cresOf("2.3.1"), (text: string) => readCRes(text, transactionIn("2.3.1"))],
  "RReq 2.2.0 Y": [rreqOf("2.2.0", "Y"), (text: string) => readRReq(text, transactionIn("2.2.0"))],
  "RReq 2.3.1 N": [rreqOf("2.3.1", "N"), (text: string) => readRReq(text, transactionIn("2.3.1"))],
  "RRes 2.2.0": [rresOf("2.2.0"), (text: string) => readRRes(text, transactionIn("2.2.0"), "D")],
} as const
type Name = keyof typeof MESSAGES

function read(name: Name, change: Change = {}): string {
  const [message, reader] = MESSAGES[name]
  return told<unknown>(reader(JSON.stringify({ ...message, ...change })))
}

const SERVER =
  "messageType messageVersion threeDSServerTransID threeDSServerRefNumber threeDSServerURL threeDSRequestorID threeDSRequestorName threeDSRequestorURL deviceChannel messageCategory acctNumber"
const PAYMENT =
  "acquirerBIN acquirerMerchantID mcc merchantCountryCode merchantName purchaseAmount purchaseCurrency purchaseExponent purchaseDate"
const BROWSER =
  "threeDSCompInd threeDSRequestorAuthenticationInd notificationURL browserAcceptHeader browserUserAgent browserJavascriptEnabled browserJavaEnabled browserLanguage browserColorDepth browserScreenHeight browserScreenWidth browserTZ"
const ANSWER =
  "messageType messageVersion threeDSServerTransID dsTransID acsTransID dsReferenceNumber acsReferenceNumber transStatus"
const RESULT =
  "messageType messageVersion messageCategory threeDSServerTransID dsTransID acsTransID transStatus interactionCounter"

/** The required elements of each message. All others are optional. */
const REQUIRED: Readonly<Record<Name, string>> = {
  "AReq 2.2.0 browser": `${SERVER} ${PAYMENT} ${BROWSER}`,
  "AReq 2.3.1 browser": `${SERVER} ${PAYMENT} ${BROWSER} acquirerCountryCode acquirerCountryCodeSource acceptLanguage`,
  "AReq 2.2.0 merchant": `${SERVER} ${PAYMENT} threeRIInd recurringExpiry recurringFrequency`,
  "AReq 2.3.1 merchant": `${SERVER} ${PAYMENT} threeRIInd acquirerCountryCode acquirerCountryCodeSource recurringInd recurringAmount recurringCurrency recurringExponent recurringDate recurringFrequency`,
  "AReq 2.2.0 no payment": `${SERVER} ${BROWSER}`,
  "ARes 2.2.0 Y": `${ANSWER} authenticationValue`,
  "ARes 2.3.1 N": `${ANSWER} transStatusReason`,
  "ARes 2.2.0 C": `${ANSWER} acsURL acsChallengeMandated authenticationType`,
  "ARes 2.3.1 C": `${ANSWER} acsURL acsChallengeMandated authenticationMethod`,
  "CReq 2.2.0": "messageType messageVersion threeDSServerTransID acsTransID challengeWindowSize",
  "CRes 2.3.1": "messageType messageVersion threeDSServerTransID acsTransID transStatus",
  "RReq 2.2.0 Y": `${RESULT} authenticationValue authenticationType`,
  "RReq 2.3.1 N": `${RESULT} transStatusReason authenticationMethod`,
  "RRes 2.2.0": "messageType messageVersion threeDSServerTransID dsTransID acsTransID resultsStatus",
}
const NAMES = Object.keys(MESSAGES).filter((name): name is Name => Object.hasOwn(MESSAGES, name))

describe("a message", () => {
  test.each(NAMES)("of type %s is read", (name) => expect(read(name)).toBe("ok"))

  test.each(NAMES)(
    "of type %s is refused with 201, 101 or 203 without a required element, and only then",
    (name) => {
      const required = REQUIRED[name].split(" ")
      for (const element of Object.keys(MESSAGES[name][0])) {
        for (const nothing of [undefined, null, ""]) {
          const answer = read(name, { [element]: nothing })
          if (element === "messageType") expect(answer).toBe("101 messageType")
          else if (!required.includes(element)) expect([element, answer]).toEqual([element, "ok"])
          else expect(answer).toMatch(new RegExp(`^(201|203) (.*,)?${element}\\b`))
        }
      }
      expect(Object.keys(MESSAGES[name][0])).toEqual(expect.arrayContaining(required))
    },
  )

  test.each(NAMES)("of type %s may contain unknown elements, which are dropped", (name) => {
    const [message, reader] = MESSAGES[name]
    const reading: Reading<unknown> = reader(JSON.stringify({ ...message, futureElement: { a: [1] } }))
    expect(reading).toEqual({ kind: "message", message })
  })

  test("is refused with everything that is missing at once", () => {
    const missing = { mcc: "", browserTZ: null, purchaseDate: undefined }
    expect(read("AReq 2.2.0 browser", missing)).toBe("201 mcc,browserTZ,purchaseDate")
  })
})

const of = (characters: number) => "a".repeat(characters)
const number = (digits: number) => "9".repeat(digits)
const link = (characters: number) => `https://a.example/${of(characters - 18)}`

/** Allowed values of an element, and disallowed ones, one character or one value beyond. */
const FORMATS: readonly (readonly [Name, string, readonly unknown[], readonly unknown[]])[] = [
  [
    "AReq 2.2.0 browser",
    "threeDSServerTransID",
    [SERVER_ID.toUpperCase()],
    ["1", SERVER_ID.slice(1), `${SERVER_ID}1`, 1],
  ],
  ["AReq 2.2.0 browser", "threeDSServerRefNumber", [of(32)], [of(33), 1]],
  ["AReq 2.2.0 browser", "threeDSServerOperatorID", [of(32)], [of(33)]],
  [
    "AReq 2.2.0 browser",
    "threeDSServerURL",
    [link(2048)],
    [link(2049), "a.example", "ftp://a.example", "https://"],
  ],
  ["AReq 2.2.0 browser", "threeDSRequestorID", [of(35)], [of(36)]],
  ["AReq 2.2.0 browser", "threeDSRequestorName", [of(40)], [of(41)]],
  ["AReq 2.2.0 browser", "threeDSRequestorURL", [link(2048)], [link(2049), "javascript:alert(1)"]],
  ["AReq 2.2.0 browser", "deviceChannel", [], ["01", "04", "2"]],
  ["AReq 2.2.0 browser", "messageCategory", [], ["00", "03", "80"]],
  [
    "AReq 2.2.0 browser",
    "acctNumber",
    [number(13), number(19)],
    [number(12), number(20), "4000 000000003030", 4],
  ],
  ["AReq 2.2.0 browser", "cardExpiryDate", ["0001", "9912"], ["3100", "3113", "311", "31120"]],
  ["AReq 2.2.0 browser", "threeDSCompInd", ["N", "U"], ["X", "y"]],
  [
    "AReq 2.2.0 browser",
    "threeDSRequestorAuthenticationInd",
    ["06", "80", "99"],
    ["00", "07", "79", "1", "100"],
  ],
  ["AReq 2.3.1 browser", "threeDSRequestorAuthenticationInd", ["10", "80"], ["11"]],
  ["AReq 2.2.0 merchant", "threeRIInd", [], ["12", "00"]],
  ["AReq 2.3.1 merchant", "threeRIInd", [], ["20"]],
  ["AReq 2.2.0 browser", "threeDSRequestorChallengeInd", ["01", "09", "99"], ["10", ["01"]]],
  [
    "AReq 2.3.1 browser",
    "threeDSRequestorChallengeInd",
    [["14"], ["01", "02"], ["04", "14"], ["10", "11"]],
    ["01", ["15"], [], ["01", "01", "01"], ["02", "03"], ["04", "11"]],
  ],
  [
    "AReq 2.2.0 browser",
    "threeDSRequestorAuthenticationInfo",
    [{}, { threeDSReqAuthTimestamp: "203001010000" }],
    [[{}], { threeDSReqAuthTimestamp: "20300101" }],
  ],
  [
    "AReq 2.3.1 browser",
    "threeDSRequestorAuthenticationInfo",
    [[{}], [{}, {}, {}]],
    [{}, [], [{}, {}, {}, {}]],
  ],
  [
    "AReq 2.2.0 merchant",
    "threeDSRequestorPriorAuthenticationInfo",
    [{ threeDSReqPriorRef: of(36) }],
    [{ threeDSReqPriorRef: of(37) }, []],
  ],
  [
    "AReq 2.3.1 merchant",
    "threeDSRequestorPriorAuthenticationInfo",
    [[{ threeDSReqPriorRef: of(36) }]],
    [{}, [{}, {}, {}, {}]],
  ],
  ["AReq 2.2.0 browser", "notificationURL", [link(256)], [link(257)]],
  ["AReq 2.2.0 browser", "acquirerBIN", [of(11)], [of(12)]],
  ["AReq 2.2.0 browser", "acquirerMerchantID", [of(35)], [of(36)]],
  ["AReq 2.2.0 browser", "mcc", ["0000"], ["123", "12345", "abcd"]],
  ["AReq 2.2.0 browser", "merchantName", [of(40)], [of(41)]],
  ["AReq 2.2.0 browser", "purchaseAmount", ["0", number(48)], [number(49), "-1", "1.5", 1]],
  ["AReq 2.2.0 browser", "purchaseExponent", ["0"], ["10", "a"]],
  [
    "AReq 2.2.0 browser",
    "purchaseDate",
    ["20280229235959"],
    ["20290229000000", "20300101240000", "20300132000000", "2030010112000"],
  ],
  ["AReq 2.2.0 merchant", "recurringExpiry", ["20280229"], ["20290229", "2030010", "203001011"]],
  ["AReq 2.2.0 merchant", "recurringFrequency", [number(4)], [number(5), "x"]],
  ["AReq 2.3.1 merchant", "recurringInd", [], [{ amountInd: "03", frequencyInd: "01" }, "01"]],
  ["AReq 2.3.1 merchant", "recurringAmount", [number(48)], [number(49)]],
  ["AReq 2.3.1 merchant", "recurringDate", ["20280229"], ["20290229"]],
  ...(["bill", "ship"] as const).flatMap((kind) => [
    ["AReq 2.2.0 browser", `${kind}AddrCity`, [of(50)], [of(51)]] as const,
    ["AReq 2.2.0 browser", `${kind}AddrLine1`, [of(50)], [of(51)]] as const,
    ["AReq 2.2.0 browser", `${kind}AddrLine3`, [of(50)], [of(51)]] as const,
    ["AReq 2.2.0 browser", `${kind}AddrPostCode`, [of(16)], [of(17)]] as const,
    ["AReq 2.2.0 browser", `${kind}AddrCountry`, ["276"], ["DE", 276]] as const,
  ]),
  [
    "AReq 2.2.0 browser",
    "homePhone",
    [{ cc: "1", subscriber: number(15) }],
    [
      { cc: "1234", subscriber: "1" },
      { cc: "1", subscriber: number(16) },
    ],
  ],
  ["AReq 2.2.0 browser", "cardholderName", ["ab", of(45)], ["a", of(46), "Zoë"]],
  ["AReq 2.3.1 browser", "cardholderName", ["a"], [of(46)]],
  ["AReq 2.2.0 browser", "email", [of(254)], [of(255)]],
  ["AReq 2.2.0 browser", "acctID", [of(64)], [of(65)]],
  ["AReq 2.2.0 browser", "addrMatch", ["Y", "N"], ["U"]],
  ["AReq 2.2.0 browser", "acctType", ["01", "03", "80"], ["04"]],
  ["AReq 2.2.0 browser", "transType", ["01", "28"], ["02"]],
  ["AReq 2.3.1 browser", "cardSecurityCode", ["123", "1234"], ["12", "12345"]],
  ["AReq 2.3.1 browser", "taxId", [of(45)], [of(46)]],
  ["AReq 2.3.1 browser", "acquirerCountryCodeSource", ["02"], ["03"]],
  ["AReq 2.2.0 browser", "browserAcceptHeader", [of(2048)], [of(2049)]],
  ["AReq 2.2.0 browser", "browserUserAgent", [of(2048)], [of(2049)]],
  ["AReq 2.2.0 browser", "browserIP", ["2001:db8::1"], ["203.0.113", "a"]],
  ["AReq 2.2.0 browser", "browserJavaEnabled", [true], ["true", 1]],
  ["AReq 2.2.0 browser", "browserLanguage", [of(8)], [of(9)]],
  ["AReq 2.3.1 browser", "browserLanguage", [of(35)], [of(36)]],
  ["AReq 2.2.0 browser", "browserColorDepth", ["1", "48"], ["30", "2", 24]],
  ["AReq 2.3.1 browser", "browserColorDepth", ["30", "99"], ["100"]],
  ["AReq 2.2.0 browser", "browserScreenHeight", [number(6)], [number(7), "-1"]],
  ["AReq 2.2.0 browser", "browserTZ", ["300", "-840", "+0"], ["UTC", "1.5"]],
  ["AReq 2.3.1 browser", "acceptLanguage", [Array(99).fill(of(100))], [[], Array(100).fill("de"), [of(101)]]],
  ["AReq 2.3.1 browser", "deviceId", [of(64)], [of(65)]],
  ["AReq 2.2.0 browser", "messageExtension", [extensions(10)], [extensions(11), []]],
  [
    "AReq 2.3.1 browser",
    "messageExtension",
    [extensions(15)],
    [extensions(16), extensions(1, of(8060)), extensions(11, of(7500))],
  ],
  ["ARes 2.2.0 Y", "dsTransID", [], ["1", 1]],
  ["ARes 2.2.0 Y", "dsReferenceNumber", [of(32)], [of(33)]],
  ["ARes 2.2.0 Y", "acsReferenceNumber", [of(32)], [of(33)]],
  ["ARes 2.2.0 Y", "acsOperatorID", [of(32)], [of(33)]],
  [
    "ARes 2.2.0 Y",
    "authenticationValue",
    [],
    [Buffer.alloc(19).toString("base64url"), Buffer.alloc(24).toString("base64"), "%".repeat(28)],
  ],
  ["ARes 2.2.0 Y", "eci", ["02", "N2"], ["5", "005"]],
  ["ARes 2.2.0 C", "acsURL", [link(2048)], [link(2049)]],
  ["ARes 2.2.0 C", "acsChallengeMandated", ["N"], ["X"]],
  ["ARes 2.2.0 C", "authenticationType", ["01", "04", "80"], ["05"]],
  ["ARes 2.3.1 C", "authenticationMethod", [["16", "80"]], ["02", [], ["17"]]],
  ["ARes 2.3.1 N", "transStatusReason", ["30", "80", "99"], ["00", "31", "79"]],
  ["ARes 2.3.1 N", "transStatusReasonInfo", [of(256)], [of(257)]],
  ["ARes 2.2.0 Y", "cardholderInfo", [of(128)], [of(129), { text: "a" }]],
  ["ARes 2.3.1 N", "cardholderInfo", [{ text: of(128) }], [{ text: of(129) }, "a"]],
  ["ARes 2.3.1 N", "transChallengeExemption", ["05", "79"], ["06"]],
  ["CReq 2.2.0", "challengeWindowSize", ["01", "05"], ["06", "00", 5]],
  ["CRes 2.3.1", "challengeCompletionInd", ["Y"], ["X"]],
  ["RReq 2.2.0 Y", "interactionCounter", ["00", "99"], ["1", "100"]],
  ["RReq 2.2.0 Y", "authenticationType", ["04"], ["05"]],
  ["RReq 2.2.0 Y", "challengeCancel", ["01", "08"], ["02", "09", "10"]],
  ["RReq 2.3.1 N", "challengeCancel", ["08"], ["02", "11"]],
  ["RRes 2.2.0", "resultsStatus", ["01", "03", "80"], ["04", "00"]],
]

function extensions(count: number, data = "a") {
  return Array.from({ length: count }, () => ({
    id: of(64),
    name: of(64),
    criticalityIndicator: false,
    data: { value: data },
  }))
}

describe("an element", () => {
  test.each(FORMATS)(
    "of %s, %s, is accepted up to its limits, and refused with 203 beyond",
    (name, element, good, bad) => {
      for (const value of good) expect([value, read(name, { [element]: value })]).toEqual([value, "ok"])
      for (const value of bad) {
        const answer = read(name, { [element]: value })
        expect([value, answer]).toEqual([
          value,
          expect.stringMatching(new RegExp(`^203 (.*,)?${element}\\b`)),
        ])
      }
    },
  )

  test.each([
    ["AReq 2.2.0 browser", "merchantCountryCode", ["276", "840"], ["901", "999", "000"]],
    ["AReq 2.3.1 browser", "acquirerCountryCode", ["276"], ["950"]],
    ["AReq 2.2.0 browser", "billAddrCountry", ["276"], ["999"]],
    ["AReq 2.2.0 browser", "purchaseCurrency", ["978", "840"], ["955", "964", "999", "000"]],
    ["AReq 2.3.1 merchant", "recurringCurrency", ["392"], ["960"]],
  ] as const)("of %s, %s, is refused with 304 when ISO has no such code", (name, element, good, bad) => {
    for (const value of good) expect(read(name, { [element]: value })).toBe("ok")
    for (const value of bad) expect(read(name, { [element]: value })).toBe(`304 ${element}`)
    expect(read(name, { [element]: "12" })).toBe(`203 ${element}`)
  })

  test("is named by its parent when a part of it is missing or wrong", () => {
    expect(read("AReq 2.2.0 browser", { homePhone: { cc: "1" } })).toBe("201 homePhone.subscriber")
    expect(read("AReq 2.2.0 browser", { homePhone: { cc: "x", subscriber: "1" } })).toBe("203 homePhone.cc")
    expect(read("AReq 2.2.0 browser", { homePhone: { cc: "1", subscriber: "" } })).toBe(
      "201 homePhone.subscriber",
    )
    expect(read("AReq 2.2.0 browser", { messageExtension: [{ id: "a" }] })).toBe(
      "201 messageExtension.name,messageExtension.criticalityIndicator,messageExtension.data",
    )
    const half = {
      recurringInd: { amountInd: "01" },
      recurringDate: undefined,
      recurringFrequency: undefined,
    }
    expect(read("AReq 2.3.1 merchant", half)).toBe("201 recurringInd.frequencyInd")
  })
})

describe("rules between elements", () => {
  const recurring = {
    threeDSRequestorAuthenticationInd: "02",
    recurringExpiry: "20321231",
    recurringFrequency: "30",
  }
  const purchase = {
    purchaseAmount: "1",
    purchaseCurrency: "978",
    purchaseExponent: "2",
    purchaseDate: "20300101120000",
  }

  test.each<readonly [Name, Change, string]>([
    // Cardholder and merchant initiated
    ["AReq 2.2.0 merchant", { notificationURL: "https://a.example" }, "203 notificationURL"],
    ["AReq 2.2.0 merchant", { browserIP: "203.0.113.9" }, "203 browserIP"],
    ["AReq 2.2.0 merchant", { threeDSCompInd: "Y" }, "203 threeDSCompInd"],
    [
      "AReq 2.2.0 merchant",
      { threeDSRequestorAuthenticationInd: "02" },
      "203 threeDSRequestorAuthenticationInd",
    ],
    ["AReq 2.2.0 merchant", { threeDSRequestorChallengeInd: "01" }, "203 threeDSRequestorChallengeInd"],
    ["AReq 2.3.1 merchant", { threeDSRequestorChallengeInd: ["01"] }, "ok"],
    ["AReq 2.3.1 merchant", { acceptLanguage: ["de"] }, "203 acceptLanguage"],
    ["AReq 2.2.0 browser", { threeRIInd: "01" }, "201 recurringExpiry,recurringFrequency"],
    ["AReq 2.2.0 browser", { threeRIInd: "05" }, "203 threeRIInd"],
    // Purchases
    ["AReq 2.2.0 no payment", purchase, "203 purchaseAmount,purchaseCurrency,purchaseExponent,purchaseDate"],
    ["AReq 2.2.0 no payment", recurring, "201 purchaseAmount,purchaseCurrency,purchaseExponent,purchaseDate"],
    ["AReq 2.2.0 no payment", { ...recurring, ...purchase }, "ok"],
    ["AReq 2.2.0 no payment", { mcc: "5411" }, "ok"],
    ["AReq 2.2.0 no payment", { transType: "01" }, "203 transType"],
    // Recurring payments
    ["AReq 2.2.0 browser", { purchaseInstalData: "3" }, "203 purchaseInstalData"],
    ["AReq 2.2.0 browser", { ...recurring, purchaseInstalData: "3" }, "203 purchaseInstalData"],
    [
      "AReq 2.2.0 browser",
      { ...recurring, threeDSRequestorAuthenticationInd: "03" },
      "201 purchaseInstalData",
    ],
    [
      "AReq 2.2.0 browser",
      { ...recurring, threeDSRequestorAuthenticationInd: "03", purchaseInstalData: "999" },
      "ok",
    ],
    [
      "AReq 2.2.0 browser",
      { ...recurring, threeDSRequestorAuthenticationInd: "03", purchaseInstalData: "1" },
      "203 purchaseInstalData",
    ],
    ["AReq 2.2.0 browser", { recurringExpiry: "20321231" }, "203 recurringExpiry"],
    [
      "AReq 2.2.0 browser",
      { threeDSRequestorAuthenticationInd: "02" },
      "201 recurringExpiry,recurringFrequency",
    ],
    ["AReq 2.3.1 browser", { threeDSRequestorAuthenticationInd: "02" }, "201 recurringInd"],
    [
      "AReq 2.3.1 browser",
      { threeDSRequestorAuthenticationInd: "02", recurringInd: { amountInd: "02", frequencyInd: "02" } },
      "ok",
    ],
    ["AReq 2.3.1 browser", { recurringInd: { amountInd: "02", frequencyInd: "02" } }, "203 recurringInd"],
    [
      "AReq 2.3.1 merchant",
      { recurringInd: { amountInd: "02", frequencyInd: "01" } },
      "203 recurringAmount,recurringCurrency,recurringExponent",
    ],
    [
      "AReq 2.3.1 merchant",
      { recurringInd: { amountInd: "01", frequencyInd: "02" } },
      "203 recurringDate,recurringFrequency",
    ],
    ["AReq 2.3.1 merchant", { recurringExpiry: "20321231" }, "ok"],
    ...["07", "11", "80"].map(
      (purpose) =>
        [
          "AReq 2.2.0 merchant",
          { threeRIInd: purpose, recurringExpiry: undefined, recurringFrequency: undefined },
          "ok",
        ] as const,
    ),
    // Others
    ["AReq 2.3.1 browser", { trustListStatus: "X", trustListStatusSource: "01" }, "203 trustListStatus"],
    ["AReq 2.2.0 browser", { billAddrState: "BY" }, "201 billAddrCountry"],
    ["AReq 2.2.0 browser", { shipAddrState: "BY", shipAddrCountry: "276" }, "ok"],
    ["AReq 2.2.0 browser", { payTokenSource: "01" }, "203 payTokenSource"],
    ["AReq 2.2.0 browser", { payTokenInd: true }, "201 payTokenSource"],
    ["AReq 2.2.0 browser", { payTokenInd: true, payTokenSource: "01" }, "ok"],
    ["AReq 2.2.0 browser", { payTokenInd: false }, "203 payTokenInd"],
    ["AReq 2.2.0 browser", { whiteListStatus: "Y" }, "201 whiteListStatusSource"],
    ["AReq 2.3.1 browser", { trustListStatusSource: "01" }, "203 trustListStatusSource"],
    [
      "AReq 2.2.0 browser",
      { browserJavascriptEnabled: false },
      "203 browserJavaEnabled,browserScreenHeight,browserScreenWidth,browserTZ,browserColorDepth",
    ],
    // Answers
    ["ARes 2.2.0 Y", { transStatusReason: "01" }, "203 transStatusReason"],
    ["ARes 2.2.0 Y", { acsURL: "https://a.example" }, "203 acsURL"],
    ["ARes 2.2.0 Y", { authenticationType: "02" }, "203 authenticationType"],
    ["ARes 2.3.1 N", { authenticationValue: Buffer.alloc(20).toString("base64") }, "203 authenticationValue"],
    ["ARes 2.2.0 Y", { whiteListStatus: "Y" }, "201 whiteListStatusSource"],
    ["RReq 2.3.1 N", { authenticationValue: Buffer.alloc(20).toString("base64") }, "203 authenticationValue"],
    ["RReq 2.2.0 Y", { transStatusReason: "01" }, "203 transStatusReason"],
    ["RReq 2.3.1 N", { challengeCancel: "10" }, "201 challengeErrorReporting"],
    // Statuses
    ["ARes 2.2.0 Y", { transStatus: "D" }, "201 acsChallengeMandated,authenticationType"],
    ["ARes 2.2.0 Y", { transStatus: "S" }, "203 transStatus"],
    ["ARes 2.2.0 Y", { transStatus: "I" }, "203 transStatus"],
    ["ARes 2.2.0 Y", { transStatus: "A" }, "ok"],
    ["ARes 2.2.0 Y", { transStatus: "X" }, "203 transStatus"],
    ["RReq 2.2.0 Y", { transStatus: "C" }, "203 transStatus"],
    ["RReq 2.3.1 N", { transStatus: "D" }, "203 transStatus"],
    ["RReq 2.3.1 N", { transStatus: "R", authenticationMethod: undefined }, "ok"],
    ["CRes 2.3.1", { transStatus: "N" }, "ok"],
    ["CRes 2.3.1", { transStatus: "U" }, "203 transStatus"],
    ["CRes 2.3.1", { transStatus: "D" }, "203 transStatus"],
  ])("answer %s with %j with %s", (name, change, answer) => expect(read(name, change)).toBe(answer))

  test("refuse a challenge when the cardholder is absent, and when only data was shared", () => {
    const challenge = JSON.stringify(aresOf("2.2.0", "C"))
    expect(told(readARes(challenge, transactionIn("2.2.0", { threeDSRequestorChallengeInd: ["06"] })))).toBe(
      "203 transStatus",
    )
    const merchant = JSON.stringify({ ...aresOf("2.2.0", "C"), acsURL: undefined })
    expect(told(readARes(merchant, transactionIn("2.2.0", { deviceChannel: "03" })))).toBe("203 transStatus")
  })

  test("accept information as an answer to requests for no challenge", () => {
    const informed = JSON.stringify({ ...aresOf("2.2.0", "Y"), transStatus: "I" })
    for (const wish of ["05", "06", "07"]) {
      const transaction = transactionIn("2.2.0", { threeDSRequestorChallengeInd: [wish] })
      expect(told(readARes(informed, transaction))).toBe("ok")
    }
  })

  test("do not use a message's own claims about its transaction", () => {
    const claimed = JSON.stringify({
      ...aresOf("2.2.0", "N"),
      transStatusReason: undefined,
      messageCategory: "02",
    })
    expect(told(readARes(claimed, transactionIn("2.2.0")))).toBe("201 transStatusReason")
    const results = JSON.stringify({ ...rreqOf("2.2.0", "Y"), messageCategory: "02" })
    expect(told(readRReq(results, transactionIn("2.2.0")))).toBe("203 messageCategory")
  })
})

describe("an unexpected message", () => {
  test.each<readonly [string, string]>([
    ["", "101 The message is not JSON that can be read"],
    ["{", "101 The message is not JSON that can be read"],
    ["[]", "101 The message is not a JSON object"],
    ["null", "101 The message is not a JSON object"],
    ["{}", "101 messageType"],
    ['{"messageType":"ARes"}', "101 messageType"],
    ['{"messageType":["AReq"]}', "101 messageType"],
    ['{"messageType":"AReq"}', "201 messageVersion"],
    ['{"messageType":"AReq","messageVersion":"2"}', "203 messageVersion"],
    ['{"messageType":"AReq","messageVersion":2.2}', "203 messageVersion"],
    ['{"messageType":"AReq","messageVersion":"2.1.0"}', "102 2.2.0,2.3.1"],
    ['{"__proto__":{"messageType":"AReq"}}', "101 The message is not JSON that can be read"],
    ['{"messageType":"AReq","messageType":"AReq"}', "204 messageType"],
    ['{"messageType":"AReq","message\\u0054ype":"AReq"}', "204 messageType"],
    ['{"homePhone":{"cc":"1","cc":"1"},"homePhone":{}}', "204 homePhone.cc,homePhone"],
    ['{"messageExtension":[{"id":"1"},{"id":"2","id":"3"}]}', "204 messageExtension.id"],
    ['{"a b":1,"a b":2}', "204 ?"],
    ["[".repeat(17) + "]".repeat(17), "101 The message is not JSON that can be read"],
  ])("%s is answered with %s", (text, answer) => expect(told(readAReq(text, "D"))).toBe(answer))

  test("is answered with 101 when it is too long, and read at its maximum length", () => {
    const text = JSON.stringify({ ...BROWSER_2_2_0, padding: "" })
    const longest = text.replace('"padding":""', `"padding":"${of(MAX_MESSAGE_BYTES - text.length)}"`)
    expect(told(readAReq(longest, "D"))).toBe("ok")
    expect(told(readAReq(`${longest} `, "D"))).toBe("101 The message is too long")
    expect(told(readAReq("é".repeat(MAX_MESSAGE_BYTES / 2 + 1), "D"))).toBe("101 The message is too long")
    expect(told(readAReq(Buffer.of(0xff), "D"))).toBe("101 The message is not UTF-8")
  })

  test("is answered with 101 when it has more elements than any message", () => {
    const own = Object.keys(BROWSER_2_2_0).length
    const others = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))
    const textOf = (count: number) => JSON.stringify({ ...BROWSER_2_2_0, other: others(count - own - 1) })
    expect(told(readAReq(textOf(MAX_MEMBERS), "D"))).toBe("ok")
    expect(told(readAReq(textOf(MAX_MEMBERS + 1), "D"))).toBe("101 The message has too many elements")
  })

  test("is answered with 202 when it has a critical extension", () => {
    const critical = [...extensions(1), { ...extensions(1)[0], criticalityIndicator: true }]
    for (const name of NAMES) expect(read(name, { messageExtension: critical })).toBe("202 messageExtension")
  })

  test.each<readonly [Name, string]>([
    ["ARes 2.2.0 Y", "threeDSServerTransID"],
    ["CReq 2.2.0", "acsTransID"],
    ["CRes 2.3.1", "acsTransID"],
    ["RReq 2.2.0 Y", "dsTransID"],
    ["RReq 2.3.1 N", "acsTransID"],
    ["RRes 2.2.0", "threeDSServerTransID"],
  ])("%s of another transaction, by its %s, is answered with 301", (name, id) => {
    expect(read(name, { [id]: OTHER_ID })).toBe(`301 ${id}`)
  })

  test("is answered with 203 when it has a different version than its transaction", () => {
    for (const name of ["ARes 2.2.0 Y", "CReq 2.2.0", "RReq 2.2.0 Y", "RRes 2.2.0"] as const) {
      expect(read(name, { messageVersion: "2.3.1" })).toBe("203 messageVersion")
    }
  })

  test("is passed on when it is an Erro in any version, and answered with 101 when that is malformed", () => {
    const reading = readARes("{", transactionIn("2.2.0"))
    const erro = reading.kind === "invalid" ? reading.answer : null
    if (erro === null) throw new Error("It is taken")
    expect(readARes(writeErro(erro), transactionIn("2.2.0"))).toEqual({ kind: "error", erro })
    expect(told(readARes(JSON.stringify({ ...erro, messageVersion: "2.1.0" }), transactionIn("2.2.0")))).toBe(
      "Erro",
    )
    expect(told(readARes(JSON.stringify({ messageType: "Erro" }), transactionIn("2.2.0")))).toMatch(/^201 /)
  })

  test("is answered with an Erro that contains only known ids", () => {
    const reading = readAReq(JSON.stringify({ ...BROWSER_2_2_0, acctNumber: "secret" }), "A")
    expect(reading).toEqual({
      kind: "invalid",
      answer: {
        messageType: "Erro",
        messageVersion: "2.2.0",
        errorCode: "203",
        errorComponent: "A",
        errorDescription: expect.any(String),
        errorDetail: "acctNumber",
        errorMessageType: "AReq",
        threeDSServerTransID: SERVER_ID,
      } satisfies Erro,
    })
  })
})

describe("any 3-D Secure input", () => {
  const anything = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((json) => `{"messageType":"AReq","messageVersion":"2.2.0","acctInfo":${json}}`),
    fc
      .tuple(fc.constantFrom(...Object.keys(BROWSER_2_3_1)), fc.jsonValue())
      .map(([name, value]) => JSON.stringify({ ...BROWSER_2_3_1, [name]: value })),
  )

  test("is either a message that can be sent again, or answered with a valid Erro", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const reading = readAReq(text, "D")
        if (reading.kind === "message") {
          expect(readAReq(writeAReq(reading.message), "D")).toEqual(reading)
        } else if (reading.kind === "invalid") {
          expect(JSON.parse(writeErro(reading.answer))).toEqual(reading.answer)
        }
      }),
    )
  })

  test("is never repeated by an Erro", () => {
    const marker = "SECRETvalue"
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(BROWSER_2_2_0)),
        fc.constantFrom([marker], { a: marker }, marker),
        (name, value) => {
          const reading = readAReq(JSON.stringify({ ...BROWSER_2_2_0, [name]: value }), "D")
          expect(JSON.stringify(reading.kind === "invalid" ? reading.answer : "")).not.toContain(marker)
        },
      ),
    )
  })

  test("survives encoding for a browser, with or without its padding", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const encoded = encodeMessage(text)
        expect(encoded).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(decodeMessage(encoded)).toEqual(Buffer.from(text))
        const padded = encoded.padEnd(Math.ceil(encoded.length / 4) * 4, "=")
        expect(decodeMessage(padded)).toEqual(Buffer.from(text))
      }),
    )
  })
})

describe("a form field", () => {
  test.each(["", "a", "====", "YQ=", "YR", "Y Q", "YQ===", "YWE==", "+/+/", `${of(180_000)}`])(
    "%j is not a message",
    (encoded) => expect(decodeMessage(encoded)).toBeNull(),
  )

  test("is parsed as method data when written as such, and otherwise refused", () => {
    const request = {
      threeDSServerTransID: SERVER_ID,
      threeDSMethodNotificationURL: "https://sealway.example.com/notified",
    }
    expect(readMethodRequest(writeMethodData(request))).toEqual(request)
    const notification = { threeDSServerTransID: SERVER_ID }
    expect(readMethodNotification(writeMethodData(notification))).toEqual(notification)
    expect(readMethodRequest(writeMethodData(notification))).toBeNull()
    for (const text of ["{", "[]", '{"threeDSServerTransID":"1"}', '{"a":1,"a":2}']) {
      expect(readMethodNotification(encodeMessage(text))).toBeNull()
    }
    expect(readMethodNotification("?")).toBeNull()
  })
})

describe("writing a message", () => {
  const transaction = transactionIn("2.2.0")

  test("produces what the other side reads", () => {
    expect(readAReq(writeAReq(BROWSER_2_2_0), "D")).toEqual({ kind: "message", message: BROWSER_2_2_0 })
    const ares = aresOf("2.2.0", "C")
    expect(readARes(writeARes(ares, BROWSER_2_2_0), transaction)).toEqual({ kind: "message", message: ares })
    expect(told(readCReq(writeCReq(creqOf("2.2.0"), transaction), transaction))).toBe("ok")
    expect(told(readCRes(writeCRes(cresOf("2.2.0"), transaction), transaction))).toBe("ok")
    expect(told(readRReq(writeRReq(rreqOf("2.2.0", "N"), transaction), transaction))).toBe("ok")
    expect(told(readRRes(writeRRes(rresOf("2.2.0"), transaction), transaction, "A"))).toBe("ok")
  })

  test("refuses what the other side would refuse, naming only elements", () => {
    const wrong = { ...BROWSER_2_2_0, merchantName: of(41) }
    expect(() => writeAReq(wrong)).toThrow(new TypeError("This AReq cannot be sent: 203 merchantName"))
    expect(problemOfAReq(wrong)).toMatchObject({ code: "203", detail: "merchantName" })
    expect(problemOfAReq(BROWSER_2_2_0)).toBeNull()
  })

  test("finds a transaction by the id in an unread message", () => {
    expect(transactionIdOf({ threeDSServerTransID: SERVER_ID })).toBe(SERVER_ID)
    for (const id of [undefined, 1, "", of(37)])
      expect(transactionIdOf({ threeDSServerTransID: id })).toBeNull()
    expect(transactionIdOf(Object.create({ threeDSServerTransID: SERVER_ID }))).toBeNull()
  })
})
