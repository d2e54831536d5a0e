import { eachHeader, Pace, type RawHeaders, type Work } from "@sealway/kernel"
import { includesInSteps } from "../body/includes-in-steps.ts"
import type { InspectedBody } from "../body/located-body.ts"
import { RelayError } from "../errors/relay-error.ts"
import type { OperationGroup } from "../operations/compile-operations.ts"
import { decodePercent } from "../routes/decode-percent.ts"
import { containsToken, containsTokenInSteps } from "./contains-token.ts"

const VALUES_PER_STEP = 256

const START = "ev:"
/** Another notation of `e`, `v` or `:` in JSON. */
const JSON_ESCAPE = "\\u"

/** @throws RelayError `encrypt/pre-encrypted-data` when the target contains a token, percent-encoded or not */
export function refuseTokenInTarget(target: string): void {
  if (containsToken(target) || containsToken(decodePercent(target))) throw refusal("target")
}

/** @throws RelayError `encrypt/pre-encrypted-data` when an unselected header contains a token */
export function refuseTokensInHeaders(rawHeaders: RawHeaders, { selectors }: OperationGroup<string>): void {
  eachHeader(rawHeaders, (name, value) => {
    if (!containsToken(value)) return
    const key = name.toLowerCase()
    if (!selectors.some((selector) => selector.toLowerCase() === key)) throw refusal("headers")
  })
}

/** @throws RelayError `encrypt/pre-encrypted-data` when an unselected value contains a token */
export function* refuseUnselectedTokens(body: InspectedBody): Work<void> {
  const pace = new Pace(VALUES_PER_STEP)
  for (const value of body.unselected()) {
    if (pace.isDue(value.end - value.start)) yield
    if (value.type !== "string") continue
    const read = body.looseText(value)
    const text = Buffer.isBuffer(read) ? read : yield* read
    if ((yield* includesInSteps(text, [START])) && (yield* containsTokenInSteps(text.toString())))
      throw refusal("body")
  }
}

/** Whether a JSON text is worth searching. */
export function mayHoldToken(json: Buffer): Work<boolean> {
  return includesInSteps(json, [START, JSON_ESCAPE])
}

function refusal(place: "target" | "headers" | "body"): RelayError {
  return new RelayError(
    "encrypt/pre-encrypted-data",
    `The request's ${place} already contain${place === "headers" ? "" : "s"} an encrypted value where none is expected.`,
  )
}
