import { CARD_BRANDS, KB } from "@sealway/kernel"
import * as z from "zod"
import { COUNTRIES } from "./countries.ts"
import { CURRENCIES } from "./currencies.ts"
import { hasStates, isPostalState } from "./states.ts"

/** Enough for any request with card data, tokens included. */
export const MAX_PAYMENT_BYTES = 64 * KB

/** The longest text that may be a token of card data. */
const MAX_SEALED_CHARACTERS = 4_096

/** A field that may be sent in plain text or as a token. Its content is checked once it is open. */
export const sealableSchema = z.string().min(1).max(MAX_SEALED_CHARACTERS)

/** An amount in the minor unit of its currency. */
export const moneySchema = z.int().min(0).describe("In the currency's minor unit, such as cents")

export const expirySchema = z.lazy(() =>
  z
    .strictObject({
      month: z
        .stringFormat("month", /^(0[1-9]|1[0-2])$/)
        .describe("Two digits")
        .meta({ pattern: "^(0[1-9]|1[0-2])$" }),
      year: z
        .stringFormat("year", /^[0-9]{2}$/)
        .describe("The last two digits")
        .meta({ pattern: "^[0-9]{2}$" }),
    })
    .meta({ id: "CardExpiry" }),
)

/** An expiry whose month and year may be tokens, as card fields return them. Its content is checked once it is open. */
export const sealableExpirySchema = z.lazy(() =>
  z
    .strictObject({
      month: z
        .string()
        .max(MAX_SEALED_CHARACTERS)
        .regex(/^(?:0[1-9]|1[0-2]|ev:.+)$/)
        .describe("Two digits, plain or as a token"),
      year: z
        .string()
        .max(MAX_SEALED_CHARACTERS)
        .regex(/^(?:[0-9]{2}|ev:.+)$/)
        .describe("The last two digits, plain or as a token"),
    })
    .meta({ id: "SealableCardExpiry" }),
)

export const brandSchema = z.enum(CARD_BRANDS).meta({ id: "CardBrand" })

export const FUNDINGS = ["debit", "credit", "prepaid", "deferred-debit", "charge"] as const
export const fundingSchema = z.enum(FUNDINGS).meta({ id: "CardFunding" })
export type Funding = (typeof FUNDINGS)[number]

export const SEGMENTS = ["consumer", "commercial", "business", "government", "payouts", "all"] as const
export const segmentSchema = z.enum(SEGMENTS).meta({ id: "CardSegment" })
export type Segment = (typeof SEGMENTS)[number]

/** Creates the schema of a code from a table, in either case, converted to lower case. */
function codeSchema(codes: ReadonlyMap<string, string>, { name, length }: { name: string; length: number }) {
  return z
    .string()
    .length(length, { abort: true })
    .toLowerCase()
    .refine((code) => codes.has(code), `Not a valid ${name} code`)
    .meta({ description: `${name}, in either case; returned in lower case` })
}

export const countrySchema = codeSchema(COUNTRIES, { name: "ISO 3166-1 alpha-2", length: 2 })
export const currencySchema = codeSchema(CURRENCIES, { name: "ISO 4217", length: 3 })

/** An ISO 3166-2 code, or only its subdivision: `US-CA` or `ca`. Converted to lower case. */
export const stateSchema = z.lazy(() =>
  z
    .string()
    .regex(/^(?:[a-zA-Z]{2}-)?[0-9a-zA-Z]{1,3}$/, "Not a subdivision code of ISO 3166-2")
    .transform((code) => code.toLowerCase())
    .meta({
      description:
        "A subdivision code of ISO 3166-2, in either case, with or without the country's prefix: US-CA or ca. Returned as ca",
    }),
)

/** The location of an address, in lower case. */
interface Place {
  readonly state?: string
  readonly country?: string
}

/** Returns what is wrong with the state of an address; null for nothing. */
export function refuseState({ state, country }: Place): string | null {
  if (country === undefined) return null
  if (state === undefined) {
    return hasStates(country) ? "The state is required in us, ca and au" : null
  }
  const [subdivision = "", prefix = country] = state.split("-").toReversed()
  const isInside = prefix === country && isPostalState(country, subdivision)
  return isInside ? null : "The state does not belong to the country"
}

/** Reduces the state of an address to the subdivision: `ca` for `us-ca`. */
export function withoutPrefix<Address extends Place>(address: Address): Address {
  const { state } = address
  return state === undefined ? address : { ...address, state: state.slice(state.indexOf("-") + 1) }
}

const lineSchema = z.lazy(() =>
  z
    .string()
    .min(1)
    .max(100)
    .regex(
      /^[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ffa-zA-Z0-9().\-_#,;/@$!% ]+$/,
      "Only Latin letters, digits, spaces and ().-_#,;/@$!% are allowed",
    ),
)

/** The address of a business or a cardholder. */
export const addressSchema = z.lazy(() =>
  z
    .strictObject({
      line1: lineSchema,
      line2: lineSchema.exactOptional(),
      city: z
        .string()
        .min(1)
        .max(100)
        .regex(/^[0-9a-zA-Z _\-\u00a1-\uffff]+$/, "Only letters, digits, spaces, _ and - are allowed"),
      state: stateSchema.exactOptional(),
      postalCode: z
        .string()
        .max(16)
        .regex(/^[0-9a-zA-Z ]*$/, "Only letters, digits and spaces are allowed"),
      country: countrySchema,
    })
    .check(({ value, issues }) => {
      const message = refuseState(value)
      if (message !== null) issues.push({ code: "custom", message, path: ["state"], input: undefined })
    })
    .transform(withoutPrefix)
    .meta({ id: "Address" }),
)

export const createdAtSchema = z.int().describe("Epoch milliseconds")
export const updatedAtSchema = z
  .int()
  .exactOptional()
  .describe("Epoch milliseconds. Absent until the first change")

/** Shows when a record was created and last changed. */
export function showTimes({ createdAt, updatedAt }: { createdAt: number; updatedAt: number | null }) {
  return { createdAt, ...(updatedAt !== null && { updatedAt }) }
}
