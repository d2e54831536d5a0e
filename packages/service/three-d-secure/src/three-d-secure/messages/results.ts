import * as z from "zod"
import { ERRO } from "./erro.ts"
import { always, type Circumstance, type MessageOf, onlyWhen, optional } from "./field.ts"
import { code, codesTo, digits, messageExtension, text, uuid } from "./formats.ts"
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
import { schemaOf } from "./schema-of.ts"

const DECIDED: Circumstance = { transStatus: ["Y", "N"] }

const rreq = <Version extends "2.2.0" | "2.3.1">(version: Version) => ({
  messageType: always(z.literal("RReq")),
  messageVersion: always(z.literal(version)),
  messageCategory: always(z.enum(["01", "02"])),
  threeDSServerTransID: always(uuid),
  dsTransID: always(uuid),
  acsTransID: always(uuid),
  transStatus: onlyWhen(z.enum(["Y", "N", "U", "A", "R", "D"]), [{ messageCategory: ["01"] }], [{}]),
  transStatusReason: transStatusReason(version),
  authenticationValue: onlyWhen(
    authenticationValue(version),
    [{ messageCategory: ["01"], transStatus: ["Y", "A"] }],
    [NON_PAYMENT],
  ),
  eci: optional(eci),
  /** How many cycles were tried. */
  interactionCounter: onlyWhen(digits(2), [{ deviceChannel: ["02"] }]),
  messageExtension: optional(messageExtension(version)),
})

const rres = <Version extends "2.2.0" | "2.3.1">(version: Version) => ({
  messageType: always(z.literal("RRes")),
  messageVersion: always(z.literal(version)),
  threeDSServerTransID: always(uuid),
  dsTransID: always(uuid),
  acsTransID: always(uuid),
  resultsStatus: always(codesTo(version === "2.2.0" ? 3 : 4)),
  messageExtension: optional(messageExtension(version)),
})

/** The results of a challenge in 2.2.0. */
export const RREQ_2_2_0 = {
  ...rreq("2.2.0"),
  authenticationType: onlyWhen(codesTo(4), [DECIDED]),
  challengeCancel: optional(code("01", "03", "04", "05", "06", "07", "08")),
  ...WHITE_LIST,
} as const

/** The results of a challenge in 2.3.1. */
export const RREQ_2_3_1 = {
  ...rreq("2.3.1"),
  transStatusReasonInfo: optional(text(256)),
  authenticationMethod: authenticationMethod(DECIDED),
  challengeCancel: optional(code("01", "03", "04", "05", "06", "07", "08", "09", "10")),
  challengeErrorReporting: onlyWhen(schemaOf(ERRO), [{ challengeCancel: ["09", "10"] }]),
  cardholderInfo: optional(cardholderInfo),
  ...TRUST_LIST,
} as const

export const RRES_2_2_0 = rres("2.2.0")
export const RRES_2_3_1 = rres("2.3.1")

export type RReq2_2_0 = MessageOf<typeof RREQ_2_2_0>
export type RReq2_3_1 = MessageOf<typeof RREQ_2_3_1>
/** The result of a challenge, from the access control server through the directory server. It alone decides. */
export type RReq = RReq2_2_0 | RReq2_3_1
/** Acknowledges the results. */
export type RRes = MessageOf<typeof RRES_2_2_0> | MessageOf<typeof RRES_2_3_1>
