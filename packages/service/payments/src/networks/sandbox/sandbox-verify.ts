import { matchTestNumber } from "@sealway/bins"
import { cardBrandOf } from "@sealway/kernel"
import type { VerifyAnswer, VerifyRequest } from "../messages/verify.ts"
import { outcomeOf } from "./outcome-of.ts"

type Match = "M" | "P" | "N" | "U"

/** The results that a name, or the part of an e-mail address before the @, requests. Everything else matches. */
const BY_WORD: ReadonlyMap<string, Match> = new Map([
  ["mismatch", "N"],
  ["partial", "P"],
  ["unsupported", "U"],
])
/** The results that the last four digits of a telephone number request. */
const BY_PHONE: ReadonlyMap<string, Match> = new Map([
  ["0001", "N"],
  ["0002", "P"],
  ["0003", "U"],
])
const BY_CVV = new Map([
  ["200", "N"],
  ["201", "P"],
  ["202", "S"],
  ["203", "U"],
] as const)
const PUSH_OFF: ReadonlySet<string | null> = new Set(["401", "403"])
const PULL_OFF: ReadonlySet<string | null> = new Set(["402", "403"])

/** Answers the checks of a card from the request alone. */
export function sandboxVerify(request: VerifyRequest): VerifyAnswer {
  const { instrument, checks, cardholder, address, email, phone } = request
  const isAsked = (check: (typeof checks)[number]) => checks.includes(check)
  return {
    ...(isAsked("capabilities") && { capabilities: capabilitiesOf(instrument) }),
    ...(isAsked("cvv") && instrument.type === "card" && { cvv: cvvOf(instrument.cvv) }),
    ...(isAsked("cardholder") && { cardholder: cardholderOf(cardholder ?? {}) }),
    ...(isAsked("address") && address !== undefined && { address: addressOf(address) }),
    ...(isAsked("email") && { email: byWord((email ?? "").split("@")[0]) }),
    ...(isAsked("phone") && { phone: BY_PHONE.get((phone ?? "").slice(-4)) ?? "M" }),
  }
}

function capabilitiesOf({ number }: VerifyRequest["instrument"]): NonNullable<VerifyAnswer["capabilities"]> {
  const outcome = outcomeOf(number)
  const known = knownOf(number)
  return {
    push: { enabled: !PUSH_OFF.has(outcome), ...known, availability: "immediate" },
    pull: { enabled: !PULL_OFF.has(outcome), ...known, availability: "immediate" },
  }
}

/** Returns what the BIN look-up of a test number returns, so that the two agree. */
function knownOf(number: string) {
  const { brand, funding = "credit", country = "us", currency = "usd" } = matchTestNumber(number)?.facts ?? {}
  const network = brand ?? cardBrandOf(number)
  return { ...(network !== null && { network }), type: funding, regulated: false, country, currency }
}

function cvvOf(cvv: string | undefined): NonNullable<VerifyAnswer["cvv"]> {
  for (const [value, outcome] of BY_CVV) if (value === cvv) return outcome
  return cvv === undefined ? "S" : "M"
}

function cardholderOf({
  firstName,
  lastName,
}: NonNullable<VerifyRequest["cardholder"]>): NonNullable<VerifyAnswer["cardholder"]> {
  const [first, last] = [byWord(firstName), byWord(lastName)]
  if (first === "U" || last === "U") return { result: "U" }
  const full = first === "N" || last === "N" ? "N" : first === "P" || last === "P" ? "P" : "M"
  return { result: "M", fullName: full, firstName: first, lastName: last }
}

function addressOf({
  line1 = "",
  postalCode,
}: NonNullable<VerifyRequest["address"]>): NonNullable<VerifyAnswer["address"]> {
  const answered = { avsIdentifier: "SANDBOX", networkIdentifier: "SANDBOX", networkResponseCode: "85" }
  if (postalCode === "99997") return { ...answered, result: "U" }
  if (postalCode === "99996") return { ...answered, result: "R" }
  const isAddress = !line1.startsWith("No")
  const isZip = postalCode !== "99998"
  return { ...answered, result: isAddress ? (isZip ? "Y" : "A") : isZip ? "Z" : "N" }
}

function byWord(word = ""): Match {
  return BY_WORD.get(word.toLowerCase()) ?? "M"
}
