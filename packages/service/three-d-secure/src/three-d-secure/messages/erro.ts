import * as z from "zod"
import { always, type MessageOf, optional } from "./field.ts"
import { text, uuid } from "./formats.ts"
import { MESSAGE_TYPES } from "./versions.ts"

/** The error codes, with descriptions for people. */
export const ERROR_DESCRIPTIONS = {
  "101": "The message is invalid, or was sent to the wrong receiver",
  "102": "The message version is not supported",
  "103": "The limit of preparation requests is exceeded",
  "201": "A required element is missing",
  "202": "A critical message extension is not known",
  "203": "An element has a wrong format or value, or must not be present",
  "204": "An element is present twice",
  "301": "The transaction is not known",
  "302": "The data cannot be decrypted",
  "303": "Access is denied",
  "304": "An ISO code is not valid",
  "305": "The transaction data is not valid",
  "306": "The merchant category code is not valid for the payment system",
  "307": "The serial number is not valid",
  "402": "The transaction timed out",
  "403": "The system failed for a short time",
  "404": "The system failed permanently",
  "405": "The system cannot be reached",
  "205": "Card ranges overlap",
  "206": "The action is not possible",
  "207": "A value is reserved",
  "308": "The signature is not valid",
  "309": "The content security policy is not valid",
  "310": "The algorithm is not supported",
  "311": "The key is not known",
  "312": "The message is a duplicate",
  "313": "Results came without a challenge",
  "314": "A second challenge request came",
  "315": "The challenge request came too late",
} as const satisfies Readonly<Record<string, string>>

export type ErrorCode3DS = keyof typeof ERROR_DESCRIPTIONS

/**
 * The component that found the error: the 3DS server, the directory server or the access control server. `C` is an SDK.
 */
export type ErrorComponent = "C" | "S" | "D" | "A"

/** The same in all versions. Its version may be one that its sender supports and Sealway does not. */
export const ERRO = {
  messageType: always(z.literal("Erro")),
  messageVersion: always(z.string().regex(/^[0-9]\.[0-9]{1,2}\.[0-9]{1,2}$/, "A version")),
  errorCode: always(z.string().regex(/^[0-9]{3}$/, "Three digits")),
  errorComponent: always(z.enum(["C", "S", "D", "A"])),
  errorDescription: always(text(2_048)),
  errorDetail: always(text(2_048)),
  errorMessageType: optional(z.enum([...MESSAGE_TYPES, "PReq", "PRes"])),
  threeDSServerTransID: optional(uuid),
  dsTransID: optional(uuid),
  acsTransID: optional(uuid),
  sdkTransID: optional(uuid),
} as const

/** Answers a message that cannot be processed. */
export type Erro = MessageOf<typeof ERRO>
