import { COUNTRIES, CURRENCIES } from "@sealway/bins"
import type { VerifyAnswer } from "../networks/messages/verify.ts"
import type { Insight } from "./insight-schema.ts"

type ShownCheck<Name extends keyof Insight> = NonNullable<Insight[Name]>
type Letter = NonNullable<VerifyAnswer["address"]>["result"]

const CVV = {
  M: "match",
  Y: "match",
  N: "no-match",
  P: "not-processed",
  S: "not-present",
  U: "unsupported",
} as const satisfies Record<NonNullable<VerifyAnswer["cvv"]>, string>

const MATCH = { M: "match", P: "partial-match", N: "no-match" } as const
const CONTACT = { ...MATCH, U: "unsupported" } as const
const PERFORMED = { M: "match-performed", N: "no-match-performed", U: "unsupported" } as const

/** What each AVS letter says about the street address and the postal code. */
const ADDRESS = {
  Y: ["match", "match"],
  A: ["match", "no-match"],
  Z: ["no-match", "match"],
  N: ["no-match", "no-match"],
  R: ["unknown", "unknown"],
  U: ["unavailable", "unavailable"],
  G: ["unavailable", "unavailable"],
  S: ["unavailable", "unavailable"],
} as const satisfies Record<Letter, readonly [string, string]>

/** A check that the network did not make is returned as unsupported, never as an error. */
export const showCvv = ({ cvv = "U" }: VerifyAnswer): ShownCheck<"cvv"> => ({ code: CVV[cvv], value: cvv })

export const showContact = (value: NonNullable<VerifyAnswer["email"]> = "U"): ShownCheck<"email"> => ({
  code: CONTACT[value],
  value,
})

export function showAddress({ address }: VerifyAnswer): ShownCheck<"address"> {
  const letter = address?.result ?? "U"
  const [line, zip] = ADDRESS[letter]
  const result = { value: letter, address: line, zip }
  if (address === undefined) return { result }
  const { avsIdentifier, networkIdentifier, networkResponseCode } = address
  return { avsIdentifier, networkIdentifier, networkResponseCode: { value: networkResponseCode }, result }
}

export function showCardholder({ cardholder = { result: "U" } }: VerifyAnswer): ShownCheck<"cardholder"> {
  const result = { code: PERFORMED[cardholder.result], value: cardholder.result }
  if (cardholder.result === "U") return { result }
  const show = (value: keyof typeof MATCH) => ({ code: MATCH[value], value })
  const { fullName, firstName, lastName } = cardholder
  return { result, fullName: show(fullName), firstName: show(firstName), lastName: show(lastName) }
}

const NO_CAPABILITY = { enabled: false } as const

export function showCapabilities({ capabilities }: VerifyAnswer): ShownCheck<"capabilities"> {
  const { push, pull } = capabilities ?? { push: NO_CAPABILITY, pull: NO_CAPABILITY }
  return { push: showCapability(push), pull: showCapability(pull) }
}

interface Capability {
  readonly country?: string | undefined
  readonly currency?: string | undefined
}

function showCapability<Other extends object>({ country, currency, ...others }: Other & Capability) {
  return {
    ...others,
    ...codesOf(currency, CURRENCIES, (codes) => ({ currency: codes })),
    ...codesOf(country, COUNTRIES, (codes) => ({ country: codes })),
  }
}

interface Codes {
  readonly alphaCode: string
  readonly numericCode: string
}

/** Empty for a code outside the standard, such as network-specific ones, which have no number. */
function codesOf<Field extends object>(
  alphaCode: string | undefined,
  numericCodes: ReadonlyMap<string, string>,
  fieldOf: (codes: Codes) => Field,
): Field | undefined {
  const numericCode = alphaCode === undefined ? undefined : numericCodes.get(alphaCode)
  return alphaCode === undefined || numericCode === undefined
    ? undefined
    : fieldOf({ alphaCode, numericCode })
}
