import * as z from "zod"
import { type Circumstance, onlyWhen, optional } from "./field.ts"
import { base64, codesTo, text, url } from "./formats.ts"
import type { MessageVersion } from "./versions.ts"

export const NON_PAYMENT: Circumstance = { messageCategory: ["02"] }

/** 01 to 26; 2.3.1 has four more. Codes from 80 on differ by scheme. */
const reason = (version: MessageVersion) => codesTo(version === "2.2.0" ? 26 : 30)
const trustStatus = z.enum(["Y", "N", "E", "P", "R", "U"])

/** Base64 of 20 bytes in 2.2.0. */
export const authenticationValue = (version: MessageVersion) =>
  version === "2.2.0" ? base64(28, 28) : base64(4, 4_000)
export const eci = z.string().regex(/^[0-9A-Z]{2}$/, "Two characters")
export const cardholderInfo = z.object({
  text: text(128).optional(),
  issuerImage: z.record(z.string().max(32), url(2_048)).optional(),
  paymentSystemImage: z.record(z.string().max(32), url(2_048)).optional(),
})

export const transStatusReason = (version: MessageVersion) =>
  onlyWhen(reason(version), [{ messageCategory: ["01"], transStatus: ["N", "U", "R"] }], [NON_PAYMENT])

/** @param decided when `authenticationMethod` is present */
export const authenticationMethod = (decided: Circumstance) =>
  onlyWhen(z.array(codesTo(16)).min(1).max(99), [decided])

/** Whether the cardholder trusts the merchant, by its name in 2.2.0. */
export const WHITE_LIST = {
  whiteListStatus: optional(trustStatus),
  whiteListStatusSource: onlyWhen(codesTo(3), [{ whiteListStatus: "present" }]),
} as const

/** The same by its name in 2.3.1. */
export const TRUST_LIST = {
  trustListStatus: optional(trustStatus),
  trustListStatusSource: onlyWhen(codesTo(3), [{ trustListStatus: "present" }]),
} as const
