import * as z from "zod"
import { always, type Circumstance, type MessageOf, onlyWhen, optional } from "./field.ts"
import { code, codesTo, messageExtension, text, url, uuid, yesNo } from "./formats.ts"
import {
  authenticationMethod,
  authenticationValue,
  cardholderInfo,
  eci,
  NON_PAYMENT,
  TRUST_LIST,
  transStatusReason,
  WHITE_LIST,
} from "./issuer-elements.ts"

const CHALLENGED: Circumstance = { transStatus: ["C", "D"] }

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
  transStatusReason: transStatusReason(version),
  authenticationValue: onlyWhen(
    authenticationValue(version),
    [{ messageCategory: ["01"], transStatus: ["Y", "A"] }],
    [{ transStatus: ["I"] }, NON_PAYMENT],
  ),
  eci: optional(eci),
  acsURL: onlyWhen(url(2_048), [{ deviceChannel: ["02"], transStatus: ["C"] }]),
  acsChallengeMandated: onlyWhen(yesNo, [CHALLENGED]),
  messageExtension: optional(messageExtension(version)),
})

/** The authentication response of 2.2.0. Its reader knows `deviceChannel` and `messageCategory` from the request. */
export const ARES_2_2_0 = {
  ...fields("2.2.0"),
  authenticationType: onlyWhen(codesTo(4), [CHALLENGED]),
  cardholderInfo: optional(text(128)),
  ...WHITE_LIST,
} as const

/** The authentication response of 2.3.1. */
export const ARES_2_3_1 = {
  ...fields("2.3.1"),
  transStatusReasonInfo: optional(text(256)),
  authenticationMethod: authenticationMethod(CHALLENGED),
  cardholderInfo: optional(cardholderInfo),
  ...TRUST_LIST,
  transChallengeExemption: optional(code("05", "08", "10", "11", "79")),
} as const

export type ARes2_2_0 = MessageOf<typeof ARES_2_2_0>
export type ARes2_3_1 = MessageOf<typeof ARES_2_3_1>
/** The authentication response, from the directory server to the 3DS server. */
export type ARes = ARes2_2_0 | ARes2_3_1
