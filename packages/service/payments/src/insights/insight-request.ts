import {
  countrySchema,
  expirySchema,
  refuseState,
  sealableSchema,
  stateSchema,
  withoutPrefix,
} from "@sealway/bins"
import { cardBrandOf, invalidField } from "@sealway/kernel"
import * as z from "zod"

export const EXTENSIONS = [
  ...(["capabilities", "cvv", "cardholder", "address", "email", "phone"] as const),
  "paymentAccountReference",
] as const

const textSchema = z.string().min(1).max(200)
/** For addresses and names. */
const shortTextSchema = z.string().min(1).max(100)

const cardSchema = z.strictObject({
  number: sealableSchema.describe("12 to 19 digits that pass the Luhn check, plain or as a token"),
  expiry: expirySchema.exactOptional().describe("Required for the extensions address, cardholder and cvv"),
  cvv: sealableSchema.exactOptional().describe("3 or 4 digits, plain or as a token. Never stored"),
})

const networkTokenSchema = z.strictObject({
  number: sealableSchema.describe("12 to 19 digits that pass the Luhn check, plain or as a token"),
  cryptogram: sealableSchema.describe("Plain or as a token. Never stored"),
  expiry: expirySchema,
  transactionIdentifier: textSchema.exactOptional(),
  brand: z.enum(["visa", "mastercard", "amex", "american-express", "discover"]).exactOptional(),
  funding: z.enum(["credit", "debit", "prepaid"]).exactOptional(),
  eci: textSchema.exactOptional(),
})

const cardholderSchema = z.strictObject({
  firstName: shortTextSchema.exactOptional(),
  lastName: shortTextSchema.exactOptional(),
  middleName: shortTextSchema.exactOptional(),
  suffix: shortTextSchema.exactOptional(),
  ownerType: z.enum(["primary", "secondary"]).exactOptional(),
})

const addressSchema = z.strictObject({
  postalCode: z.string().min(1).max(16),
  line1: shortTextSchema.exactOptional(),
  line2: shortTextSchema.exactOptional(),
  city: shortTextSchema.exactOptional(),
  state: stateSchema.exactOptional().describe("Required in us, ca and au"),
  country: countrySchema.exactOptional(),
})

const fieldsSchema = z.strictObject({
  card: cardSchema.exactOptional(),
  networkToken: networkTokenSchema
    .exactOptional()
    .describe(
      "`transactionIdentifier`, `brand` and `funding` are required for tokens of American Express and Discover",
    ),
  extensions: z.array(z.enum(EXTENSIONS)).max(20).default([]),
  cardholder: cardholderSchema.exactOptional(),
  email: z
    .string()
    .max(320)
    .regex(/^[^\s@]+@[^\s@]+$/, "This must be an email address")
    .exactOptional(),
  phone: z
    .string()
    .regex(/^00[1-9][0-9]{4,14}$/, "This must be 00, the country's calling code and the national number")
    .exactOptional(),
  address: addressSchema.exactOptional(),
})

export type InsightRequest = z.infer<typeof fieldsSchema>
export type Extension = (typeof EXTENSIONS)[number]

interface Breach {
  readonly path: readonly (string | number)[]
  readonly message: string
}

const EXTENSIONS_WITH_EXPIRY: readonly Extension[] = ["address", "cardholder", "cvv"]
const EXTENSIONS_WITH_FIELD = ["cardholder", "email", "phone", "address"] as const

/** Yields violations of the rules between fields, in the specification's order. */
function* breachesOf({
  card,
  networkToken,
  extensions,
  address,
  ...fields
}: InsightRequest): Generator<Breach> {
  const wants = (extension: Extension) => extensions.includes(extension)
  const either = "Exactly one of card and networkToken is required"
  if (card === undefined && networkToken === undefined) yield { path: ["card"], message: either }
  if (card !== undefined && networkToken !== undefined) yield { path: ["networkToken"], message: either }
  if (card !== undefined) {
    const needsExpiry = EXTENSIONS_WITH_EXPIRY.filter(wants)
    if (needsExpiry.length > 0 && card.expiry === undefined) {
      const message = `The expiry is required for the extension ${needsExpiry.join(", ")}`
      yield { path: ["card", "expiry"], message }
    }
    if (wants("cvv") && card.cvv === undefined) {
      yield { path: ["card", "cvv"], message: "The cvv is required for the extension cvv" }
    }
  }
  if (networkToken !== undefined && wants("cvv")) {
    const message = "The extension cvv is not available for network tokens"
    yield { path: ["extensions", extensions.indexOf("cvv")], message }
  }
  const given = { ...fields, address }
  for (const name of EXTENSIONS_WITH_FIELD) {
    if (wants(name) && given[name] === undefined) {
      yield { path: [name], message: `This field is required for the extension ${name}` }
    }
  }
  const refusal = address === undefined ? null : refuseState(address)
  if (refusal !== null) yield { path: ["address", "state"], message: refusal }
}

export const insightRequestSchema = fieldsSchema
  .check(({ value, issues }) => {
    for (const { path, message } of breachesOf(value)) {
      issues.push({ code: "custom", message, path: [...path], input: undefined })
    }
  })
  .transform(({ address, ...fields }) => ({
    ...fields,
    ...(address !== undefined && { address: withoutPrefix(address) }),
  }))

const NEEDED_FIELDS = ["transactionIdentifier", "brand", "funding"] as const

/**
 * Checks what is only known when a network token's number is open.
 *
 * @throws InvalidRequestError when an American Express or Discover token lacks what these networks require
 */
export function checkNetworkToken(token: NonNullable<InsightRequest["networkToken"]>, digits: string): void {
  const brands: readonly (string | undefined | null)[] = [token.brand, cardBrandOf(digits)]
  const isConcerned = ["amex", "american-express", "discover"].some((brand) => brands.includes(brand))
  const missing = NEEDED_FIELDS.find((name) => token[name] === undefined)
  if (!isConcerned || missing === undefined) return
  throw invalidField(
    `/networkToken/${missing}`,
    `The ${missing} is required for network tokens of American Express and Discover.`,
  )
}
