import { createHash } from "node:crypto"
import { luhnDigit } from "@sealway/kernel/card-number"
import type { CardStanding, RegisterCardRequest } from "../messages/card-updates.ts"
import { outcomeOf } from "./outcome-of.ts"

const NOT_ENROLLED = "601"
const INVALID = "602"
const REPLACED = "604"
const CLOSED = "605"
const CHANGED_AFTER_MS = 1_000
const LATER_EXPIRY = { month: "12", year: "49" }

/** Returns the state of a card, by its number and how long ago it was registered. @param nowMs epoch milliseconds */
export function sandboxCard({ number, requestedAt }: RegisterCardRequest, nowMs: number): CardStanding {
  const outcome = outcomeOf(number)
  if (outcome === NOT_ENROLLED) return { status: "active", automaticUpdates: "issuer-not-enrolled" }
  const changed = changeOf(outcome, number)
  if (changed === null) return { status: "active", automaticUpdates: "enabled" }
  const restMs = requestedAt + CHANGED_AFTER_MS - nowMs
  if (restMs <= 0) return changed
  return { status: "active", automaticUpdates: "enabled", checkAfterMs: Math.min(restMs, CHANGED_AFTER_MS) }
}

/** Returns null when the card does not change. */
function changeOf(outcome: string | null, number: string): CardStanding | null {
  switch (outcome) {
    case INVALID:
      return { status: "invalid" }
    case CLOSED:
      return { status: "closed" }
    case REPLACED:
      return { status: "replaced", replacement: { number: nextNumber(number), expiry: LATER_EXPIRY } }
    default:
      return null
  }
}

/** Returns a number in the same range and of the same length that requests no outcome. */
function nextNumber(number: string): string {
  const drawn = [...createHash("sha256").update(number).digest()].map((byte) => String((byte % 9) + 1))
  const body = (number.slice(0, 6) + drawn.join("")).slice(0, number.length - 1)
  return body + luhnDigit(body)
}
