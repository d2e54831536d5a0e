import { type AReq, type ErrorCode3DS, transactionOf } from "@sealway/three-d-secure"
import { outcomeOf } from "../outcome-of.ts"

/** The answer of the issuer, or of the directory server itself. */
export type SandboxOutcome =
  | { readonly type: "status"; readonly transStatus: "Y" | "A" | "C" }
  | {
      readonly type: "status"
      readonly transStatus: "N" | "U" | "R"
      readonly reason: string
      /** Text for the cardholder. */
      readonly cardholderInfo?: string
    }
  | { readonly type: "error"; readonly code: ErrorCode3DS; readonly detail: string }

const FRICTIONLESS: SandboxOutcome = { type: "status", transStatus: "Y" }
const CHALLENGE: SandboxOutcome = { type: "status", transStatus: "C" }
const refusal = (transStatus: "N" | "U" | "R", reason: string): SandboxOutcome => ({
  type: "status",
  transStatus,
  reason,
})
const error = (code: ErrorCode3DS, detail: string): SandboxOutcome => ({ type: "error", code, detail })

/** By the outcome of a test number. 304 to 317 are the failure reasons of sessions, in the documentation's order. */
const OUTCOMES: ReadonlyMap<string, SandboxOutcome> = new Map([
  ["301", FRICTIONLESS],
  ["302", { type: "status", transStatus: "A" }],
  ["303", CHALLENGE],
  ["304", refusal("N", "01")],
  ["305", refusal("U", "13")],
  ["306", refusal("N", "08")],
  ["307", refusal("R", "11")],
  ["308", error("303", "acquirerBIN,acquirerMerchantID")],
  ["309", error("102", "2.1.0")],
  ["310", refusal("N", "14")],
  ["311", refusal("U", "22")],
  ["312", error("404", "The directory server is closed")],
  ["313", error("403", "The directory server is busy")],
  ["314", refusal("N", "06")],
  ["315", refusal("N", "12")],
  ["316", error("201", "cardExpiryDate")],
  ["317", error("203", "threeDSRequestorID")],
  [
    "318",
    {
      type: "status",
      transStatus: "N",
      reason: "01",
      cardholderInfo: "Call your bank: this payment was refused.",
    },
  ],
])

/** The preferences that request a challenge: preferred, mandated, and with prompts that only a challenge can show. */
const ASKS: ReadonlySet<string> = new Set(["03", "04", "09", "12", "14"])
/** The issuer may only share data. */
const DATA_ONLY = "06"

/**
 * Decides a request: by its number's outcome, else with a challenge when one is requested and the cardholder is
 * present.
 */
export function sandboxOutcome(areq: AReq): SandboxOutcome {
  const { deviceChannel, threeDSRequestorChallengeInd: wishes } = transactionOf(areq)
  const asked = wishes.some((wish) => ASKS.has(wish)) ? CHALLENGE : FRICTIONLESS
  const outcome = OUTCOMES.get(outcomeOf(areq.acctNumber) ?? "") ?? asked
  const isPossible = deviceChannel === "02" && !wishes.includes(DATA_ONLY)
  return outcome === CHALLENGE && !isPossible ? FRICTIONLESS : outcome
}
