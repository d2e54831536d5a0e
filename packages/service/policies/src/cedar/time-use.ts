import type { PolicyJson } from "@cedar-policy/cedar-wasm/nodejs"
import { isTimeZone } from "../rules/local-time.ts"

/** The parts of the time that policies read. */
export interface TimeUse {
  /** `context.time`, which changes every millisecond. */
  readonly instant: boolean
  /** `context.clock`, which changes every minute. */
  readonly clock: boolean
  /** The zones in which the clock is read. */
  readonly timeZones: readonly string[]
}

/** The maximum number of zones in a request. Conditions on further zones do not hold. */
export const MAX_TIME_ZONES = 100

/**
 * Finds what policies read of the time. Using the context as a whole, which could be compared with another, counts as
 * reading everything.
 */
export function timeUseOf(policies: readonly PolicyJson[]): TimeUse {
  const zones = new Set<string>()
  let instant = false
  let clock = false
  const pending: unknown[] = [...policies]
  while (pending.length > 0) {
    const node = pending.pop()
    if (typeof node !== "object" || node === null) continue
    const attribute = contextAttribute(node)
    if (attribute !== null) {
      instant ||= attribute === "time"
      clock ||= attribute === "clock"
      continue
    }
    if ("Var" in node && node.Var === "context") {
      instant = true
      clock = true
    }
    for (const [key, value] of Object.entries(node)) {
      if (key === "getTag" || key === "hasTag") {
        const zone = literalText(value)
        if (zone !== null && zones.size < MAX_TIME_ZONES && isTimeZone(zone)) zones.add(zone)
      }
      pending.push(value)
    }
  }
  return { instant, clock, timeZones: [...zones] }
}

/** Returns the name in `context.name` or `context has name`; null for any other expression. */
function contextAttribute(node: object): string | null {
  const access = "." in node ? node["."] : "has" in node ? node.has : null
  if (typeof access !== "object" || access === null || !("left" in access) || !("attr" in access)) return null
  const { left, attr } = access
  const isContext = typeof left === "object" && left !== null && "Var" in left && left.Var === "context"
  return isContext && typeof attr === "string" ? attr : null
}

function literalText(operands: unknown): string | null {
  if (typeof operands !== "object" || operands === null || !("right" in operands)) return null
  const { right } = operands
  if (typeof right !== "object" || right === null || !("Value" in right)) return null
  return typeof right.Value === "string" ? right.Value : null
}
