import * as z from "zod"
import { always, type Circumstance, type MessageOf, onlyWhen, optional } from "./field.ts"
import { base64, code, codesTo, messageExtension, text, url, uuid, yesNo } from "./formats.ts"

const NON_PAYMENT: Circumstance = { messageCategory: ["02"] }
const CHALLENGED: Circumstance = { transStatus: ["C", "D"] }

/** 01 to 26; 2.3.1 has four more. 80 and above differ by scheme. */
export const reason = (version: "2.2.0" | "2.3.1") => codesTo(version === "2.2.0" ? 26 : 30)
export const trustStatus = z.enum(["Y", "N", "E", "P", "R", "U"])
export const eci = z.string().regex(/^[0-9A-Z]{2}$/, "Two characters")
/** Base64 of 20 bytes in 2.2.0. */
export const authenticationValue = (version: "2.2.0" | "2.3.1") =>
  version === "2.2.0" ? base64(28, 28) : base64(4, 4_000)
export const cardholderInfo = z.object({
  text: text(128).optional(),
  issuerImage: z.record(z.string().max(32), url(2_048)).optional(),
  paymentSystemImage: z.record(z.string().max(32), url(2_048)).optional(),
})

const fields = <Version extends "2.2.0" | "2.3.1">(version: Version) => ({
  messageType: always(z.literal("ARes")),
  messageVersion: always(z.literal(version)),
  threeDSServerTransID: always(uuid),
  dsTransID: always(uuid),
  acsTransID: always(uuid),
  dsReferenceNumber: always(text(32)),
  acsReferenceNumber: always(text(32)),
  acsOperatorID: optional(text(32)),
  transStatus: onlyWhen(
    z.enum(["Y", "N", "U", "A", "C", "D", "R", "I", "S"]),
    [{ messageCategory: ["01"] }],
    [{}],
  ),
  transStatusReason: onlyWhen(
    reason(version),
    [{ messageCategory: ["01"], transStatus: ["N", "U", "R"] }],
    [NON_PAYMENT],
  ),
  authenticationValue: onlyWhen(
    authenticationValue(version),
    [{ messageCategory: ["01"], transStatus: ["Y", "A"] }],
    [{ transStatus: ["I"] }, NON_PAYMENT],
  ),
  eci: optional(eci),
  acsURL: onlyWhen(url(2_048), [{ deviceChannel: ["02"], transStatus: ["C"] }]),
  acsChallengeMandated: onlyWhen(yesNo, [CHALLENGED]),
  messageExtension: optional(messageExtension(version === "2.2.0" ? 10 : 15)),
})

/** The authentication response of 2.2.0. Who reads it knows `deviceChannel` and `messageCategory` from the request. */
export const ARES_2_2_0 = {
  ...fields("2.2.0"),
  authenticationType: onlyWhen(codesTo(4), [CHALLENGED]),
  cardholderInfo: optional(text(128)),
  whiteListStatus: optional(trustStatus),
  whiteListStatusSource: onlyWhen(codesTo(3), [{ whiteListStatus: "present" }]),
} as const

/** The authentication response of 2.3.1. */
export const ARES_2_3_1 = {
  ...fields("2.3.1"),
  transStatusReasonInfo: optional(text(256)),
  authenticationMethod: onlyWhen(z.array(codesTo(16)).min(1).max(99), [CHALLENGED]),
  cardholderInfo: optional(cardholderInfo),
  trustListStatus: optional(trustStatus),
  trustListStatusSource: onlyWhen(codesTo(3), [{ trustListStatus: "present" }]),
  transChallengeExemption: optional(code("05", "08", "10", "11", "79")),
} as const

export type ARes2_2_0 = MessageOf<typeof ARES_2_2_0>
export type ARes2_3_1 = MessageOf<typeof ARES_2_3_1>
/** The authentication response, from the directory server to the 3DS server. */
export type ARes = ARes2_2_0 | ARes2_3_1
