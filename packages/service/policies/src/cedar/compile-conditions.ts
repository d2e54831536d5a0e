import type { Expr } from "@cedar-policy/cedar-wasm/nodejs"
import type { ConditionName, Conditions } from "../rules/conditions.ts"
import type { Effect } from "../rules/data-policy.ts"
import { normalizeHost } from "../rules/host.ts"
import { normalizeIpRange } from "../rules/ip-address.ts"
import {
  anyOf,
  atLeast,
  attribute,
  both,
  entity,
  equal,
  hasAttribute,
  hasTag,
  instant,
  isInRange,
  isOneOf,
  less,
  literal,
  not,
  tag,
} from "./expressions.ts"

/** One condition as an expression that is true when it holds. */
export interface ConditionClause {
  readonly name: ConditionName
  readonly body: Expr
}

type Daily = NonNullable<NonNullable<Conditions["time"]>["daily"]>

const PCRS = ["pcr0", "pcr1", "pcr2", "pcr8"] as const

/**
 * Compiles conditions to Cedar expressions that must all be true. A budget is not an expression, because it counts. The
 * address and the time of day exist for every request. If one of them is not known, doubt denies: the condition holds
 * for a policy that forbids, and does not hold for one that permits.
 */
export function compileConditions(conditions: Conditions, effect: Effect): readonly ConditionClause[] {
  // Cedar's validator understands "known, and" but not "unknown, or".
  const known = (isKnown: Expr, body: Expr) =>
    effect === "forbid" ? not(both(isKnown, not(body))) : both(isKnown, body)
  const { sources, relayDestinations, functions, ipRanges, time, enclavePcrs, apiKeys } = conditions
  const clauses: ConditionClause[] = []
  const add = (name: ConditionName, body: Expr) => clauses.push({ name, body })

  if (sources) add("sources", isOneOf(attribute("source"), sources.map(literal)))
  if (relayDestinations) {
    add("relayDestinations", present("relayDestination", relayDestinations.map(normalizeHost).map(literal)))
  }
  if (functions) add("functions", present("function", functions.map(literal)))
  if (apiKeys) {
    const keys = apiKeys.map((id) => entity("ApiKey", id))
    add("apiKeys", present("apiKey", keys))
  }
  if (ipRanges) add("ipRanges", known(hasAttribute("ip"), anyOf(ipRanges.map(inRange))))
  if (time?.notBefore) add("time.notBefore", atLeast(attribute("time"), instantOf(time.notBefore)))
  if (time?.notAfter) add("time.notAfter", less(attribute("time"), instantOf(time.notAfter)))
  if (time?.daily) {
    const isZoneKnown = hasTag(attribute("clock"), time.daily.timezone)
    add("time.daily", known(isZoneKnown, inDailyWindow(time.daily)))
  }
  // Doubt denies: who has not said which image may decrypt has not permitted any.
  if (!enclavePcrs && effect === "permit") {
    add("enclavePcrs", not(equal(attribute("source"), literal("enclave"))))
  }
  if (enclavePcrs) {
    const bodies = PCRS.flatMap((name) => {
      const pcr = enclavePcrs[name]
      return pcr === undefined ? [] : [hasPcr(name, pcr)]
    })
    add("enclavePcrs", bodies.reduce(both, hasAttribute("enclave")))
  }
  return clauses
}

function present(name: string, values: readonly Expr[]): Expr {
  return both(hasAttribute(name), isOneOf(attribute(name), values))
}

function inRange(range: string): Expr {
  const normal = normalizeIpRange(range)
  if (normal === null) throw new TypeError("The range is not in CIDR notation")
  return isInRange(attribute("ip"), normal)
}

function instantOf(text: string): Expr {
  return instant(new Date(Date.parse(text)).toISOString())
}

/** A window that ends before it starts spans midnight: it is everything after its start or before its end. */
function inDailyWindow({ from, to, timezone }: Daily): Expr {
  const now = attribute("minuteOfDay", tag(attribute("clock"), timezone))
  const started = atLeast(now, literal(minuteOf(from)))
  const notEnded = less(now, literal(minuteOf(to)))
  return minuteOf(from) < minuteOf(to) ? both(started, notEnded) : anyOf([started, notEnded])
}

function minuteOf(timeOfDay: string): number {
  const [hours, minutes] = timeOfDay.split(":")
  return Number(hours) * 60 + Number(minutes)
}

function hasPcr(name: string, pcr: string): Expr {
  const enclave = attribute("enclave")
  return both(hasAttribute(name, enclave), equal(attribute(name, enclave), literal(pcr.toLowerCase())))
}
