import { CARD_BRANDS, equalInConstantTime } from "@sealway/kernel"
import { MESSAGE_VERSIONS } from "@sealway/three-d-secure"
import * as z from "zod"

/** How long a cardholder has, starting at the request. */
export const CHALLENGE_MS = 10 * 60_000
const MAX_WRONG_CODES = 3
/** The page shows it. */
export const ONE_TIME_CODE = "123456"

/** What the access control server stores about a transaction for its page and its messages. */
const factsSchema = z.lazy(() =>
  z.object({
    transaction: z.object({
      messageVersion: z.enum(MESSAGE_VERSIONS),
      threeDSServerTransID: z.string(),
      dsTransID: z.string(),
      acsTransID: z.string(),
      deviceChannel: z.enum(["02", "03"]),
      messageCategory: z.enum(["01", "02"]),
      threeDSRequestorChallengeInd: z.array(z.string()),
    }),
    notificationURL: z.string(),
    brand: z.enum(CARD_BRANDS).nullable(),
    lastFour: z.string(),
    merchantName: z.string().nullable(),
    /** Readable for people. Null: no payment. */
    amount: z.string().nullable(),
  }),
)

const resultSchema = z.lazy(() =>
  z.discriminatedUnion("transStatus", [
    z.object({ transStatus: z.literal("Y"), cycles: z.number() }),
    z.object({
      transStatus: z.enum(["N", "U"]),
      reason: z.string(),
      /** Why it ended early; null when it did not. */
      cancel: z.enum(["01", "04", "05", "06"]).nullable(),
      cycles: z.number(),
    }),
  ]),
)

export const challengeSchema = z.lazy(() =>
  z.object({
    facts: factsSchema,
    /** Epoch milliseconds. */
    createdAt: z.number(),
    isShown: z.boolean(),
    wrongCodes: z.number(),
    /** Null while it is open. */
    result: resultSchema.nullable(),
  }),
)

/** What the access control server knows about a transaction, for its page and its messages. */
export type ChallengeFacts = Readonly<z.infer<typeof factsSchema>>
/** The result of a challenge. `cycles` counts the codes tried. */
export type ChallengeResult = Readonly<z.infer<typeof resultSchema>>
/** A challenge, from the request to its result. */
export type Challenge = Readonly<z.infer<typeof challengeSchema>>

/** @param nowMs epoch milliseconds */
export const newChallenge = (facts: ChallengeFacts, nowMs: number): Challenge => ({
  facts,
  createdAt: nowMs,
  isShown: false,
  wrongCodes: 0,
  result: null,
})

/** A browser's action. `open` posts a CReq; `leave` is what the page itself does when the time is over. */
export type ChallengeAction =
  | { readonly type: "open" | "succeed" | "fail" | "cancel" | "leave" }
  /** It posts a CReq of another transaction. */
  | { readonly type: "misuse" }
  | { readonly type: "code"; readonly code: string }

/** Returns the challenge after an action. A challenge that has a result keeps it. */
export function advanceChallenge(challenge: Challenge, action: ChallengeAction, nowMs: number): Challenge {
  if (challenge.result !== null) return challenge
  const { wrongCodes, isShown } = challenge
  const end = (result: ChallengeResult): Challenge => ({ ...challenge, result })
  const refused = (reason: string, cancel: "01" | "04" | "05" | null = null) =>
    end({ transStatus: "N", reason, cancel, cycles: wrongCodes })
  if (nowMs >= challenge.createdAt + CHALLENGE_MS) return refused("14", isShown ? "04" : "05")
  switch (action.type) {
    case "open":
    case "leave":
      return { ...challenge, isShown: true }
    case "succeed":
      return end({ transStatus: "Y", cycles: wrongCodes + 1 })
    case "fail":
      return refused("01")
    case "cancel":
      return refused("01", "01")
    case "misuse":
      return end({ transStatus: "U", reason: "22", cancel: "06", cycles: wrongCodes })
    case "code":
      return tryCode(challenge, action.code)
  }
}

function tryCode(challenge: Challenge, code: string): Challenge {
  const cycles = challenge.wrongCodes + 1
  if (equalInConstantTime(code, ONE_TIME_CODE)) return { ...challenge, result: { transStatus: "Y", cycles } }
  const isOver = cycles >= MAX_WRONG_CODES
  return {
    ...challenge,
    wrongCodes: cycles,
    result: isOver ? { transStatus: "N", reason: "19", cancel: null, cycles } : null,
  }
}
