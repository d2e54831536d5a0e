import { isIP } from "node:net"
import { isHostName } from "@sealway/kernel"
import type { RecordOf } from "@sealway/ports"
import * as z from "zod"
import { normalizeIpRange } from "./ip-address.ts"
import { isTimeZone } from "./local-time.ts"

/** Where a decryption can be requested from. */
export const SOURCES = ["api", "client-token", "relay", "function", "enclave"] as const

export type Source = (typeof SOURCES)[number]

/** The conditions of a policy, as explanations name them. */
export type ConditionName =
  | "sources"
  | "relayDestinations"
  | "functions"
  | "ipRanges"
  | "time.notBefore"
  | "time.notAfter"
  | "time.daily"
  | "enclavePcrs"
  | "apiKeys"

export const MAX_ENTRIES = 100

/** The last instant that ISO 8601 can write with a four-digit year. */
const LAST_INSTANT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const MAX_BUDGET_VALUES = 1_000_000_000_000

/** Upper and lower case are the same host. */
const HOST = /^(?:[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63}){0,9}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/

const unique = (values: readonly string[]) => new Set(values).size === values.length
const listOf = <Entry extends z.ZodType<string>>(entry: Entry) =>
  z.array(entry).min(1).max(MAX_ENTRIES).refine(unique, "An entry is listed twice")

/** An instant: ISO 8601 with an offset from UTC, such as `2026-01-31T18:00:00+01:00`, from 1970 to 9999. */
export const instantSchema = z.iso.datetime({ offset: true }).refine((text) => {
  const ms = Date.parse(text)
  // Text that is not a time is already refused.
  return !(ms < 0 || ms > LAST_INSTANT_MS)
}, "The time must be between the years 1970 and 9999")

/** A stored host. Hosts in requests are checked by `isDestinationHost` too, which records of earlier versions need not pass. */
export const hostSchema = z.string().max(255).regex(HOST, "Not a host name, or a host name with a port")

/** Whether a host, with its port if any, can be a relay's destination. */
export function isDestinationHost(text: string): boolean {
  const host = text.toLowerCase().replace(/:[0-9]{1,5}$/, "")
  const address = host.startsWith("[") ? host.slice(1, -1) : host
  return isIP(address) !== 0 || isHostName(host, { allowUnderscores: true })
}

export const functionNameSchema = z
  .string()
  .min(1)
  .max(128)
  .regex(/^\P{Cc}*$/u, "Control characters are not allowed")
export const apiKeyIdSchema = z.string().regex(/^key_[0-9a-z]{12,60}$/, "Not the id of an API key")

const pcrSchema = z
  .string()
  .regex(/^[0-9A-Fa-f]{96}$/, "A PCR must have 96 hexadecimal digits")
  .optional()

export const enclavePcrsSchema = z.lazy(() =>
  z
    .strictObject({ pcr0: pcrSchema, pcr1: pcrSchema, pcr2: pcrSchema, pcr8: pcrSchema })
    .describe("PCRs of a Nitro enclave's attestation, SHA-384 in hexadecimal"),
)

/**
 * Says whether PCRs tell an image from those of others: by all of it, or by who has signed it. Others may share its kernel
 * (PCR1), or run its application (PCR2) on a kernel of their own.
 */
export function namesImage(pcrs: EnclavePcrs | undefined): boolean {
  return pcrs?.pcr0 !== undefined || pcrs?.pcr8 !== undefined
}

const timeOfDaySchema = z
  .string()
  .regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, "A time of day must be HH:MM, from 00:00 to 23:59")

const dailySchema = z.lazy(() =>
  z
    .strictObject({
      from: timeOfDaySchema.describe("Inclusive"),
      to: timeOfDaySchema.describe("Exclusive. If earlier than `from`, the window ends on the next day"),
      timezone: z.string().refine(isTimeZone, "Not a name in the IANA time zone database"),
    })
    .refine(({ from, to }) => from !== to, { path: ["to"], message: "`from` and `to` must differ" }),
)

const timeSchema = z.lazy(() =>
  z
    .strictObject({
      notBefore: instantSchema.optional().describe("Inclusive. ISO 8601 with an offset from UTC"),
      notAfter: instantSchema.optional().describe("Exclusive. ISO 8601 with an offset from UTC"),
      daily: dailySchema.optional().describe("A daily window, in the local time of a time zone"),
    })
    .refine((time) => Object.keys(time).length > 0, "A condition must not be empty")
    .refine(
      ({ notBefore, notAfter }) =>
        notBefore === undefined || notAfter === undefined || Date.parse(notBefore) < Date.parse(notAfter),
      { path: ["notAfter"], message: "The end must be after the beginning" },
    ),
)

export const PERIODS = ["minute", "hour", "day"] as const

export type Period = (typeof PERIODS)[number]

export const budgetSchema = z.strictObject({
  values: z.int().min(1).max(MAX_BUDGET_VALUES).describe("Values that may be decrypted in a period"),
  per: z.enum(PERIODS).describe("Periods begin with each minute, hour or day in UTC"),
})

/** When a policy applies: when all given conditions hold. */
export const conditionsSchema = z.lazy(() =>
  z
    .strictObject({
      sources: listOf(z.enum(SOURCES)).optional().describe("Where the decryption is requested"),
      relayDestinations: listOf(hostSchema)
        .optional()
        .describe("Hosts that a relay sends to, in any letter case"),
      functions: listOf(functionNameSchema).optional().describe("Names of functions"),
      ipRanges: listOf(
        z
          .string()
          .max(64)
          .refine((text) => normalizeIpRange(text) !== null, "Not a range in CIDR notation"),
      )
        .optional()
        .describe("Ranges of client addresses, IPv4 or IPv6, in CIDR notation"),
      time: timeSchema.optional(),
      enclavePcrs: enclavePcrsSchema
        .refine((pcrs) => Object.keys(pcrs).length > 0, "A condition must not be empty")
        .optional(),
      apiKeys: listOf(apiKeyIdSchema).optional().describe("Ids of API keys"),
      budget: budgetSchema
        .optional()
        .describe(
          "How many values of a role an API key may decrypt in a period. Only for policies that permit",
        ),
    })
    .meta({ id: "DataPolicyConditions" }),
)

export type Conditions = RecordOf<typeof conditionsSchema>
export type EnclavePcrs = z.infer<typeof enclavePcrsSchema>
export type Budget = z.infer<typeof budgetSchema>
