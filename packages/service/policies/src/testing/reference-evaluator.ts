import { BlockList, isIPv4, isIPv6 } from "node:net"
import type { NamedRule } from "../rules/data-policy.ts"
import type { DecisionContext } from "../rules/decision.ts"

/** Zones whose rules are written out here, so that the platform's time zone database is tested and not used. */
export const REFERENCE_ZONES = ["UTC", "Asia/Kolkata", "Europe/Dublin", "America/New_York"] as const

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Decides by the three steps of the specification, in plain code that shares nothing with the product: any forbid wins,
 * else any permit, else denied. Does not support policies written in Cedar.
 */
export function referenceDecision(
  rules: readonly NamedRule[],
  context: DecisionContext,
  timeMs: number,
): "permit" | "deny" {
  const applying = rules.filter((rule) => holds(rule, context, timeMs))
  if (applying.some(({ effect }) => effect === "forbid")) return "deny"
  return applying.some(({ effect }) => effect === "permit") ? "permit" : "deny"
}

function holds({ effect, conditions }: NamedRule, context: DecisionContext, timeMs: number): boolean {
  const { sources, relayDestinations, functions, ipRanges, time, enclavePcrs, apiKeys } = conditions ?? {}
  const { relayDestination, functionName, apiKeyId } = context
  if (sources && !sources.includes(context.source)) return false
  if (effect === "permit" && !enclavePcrs && context.source === "enclave") return false
  if (relayDestinations && !has(relayDestinations.map(lower), relayDestination && lower(relayDestination)))
    return false
  if (functions && !has(functions, functionName)) return false
  if (apiKeys && !has(apiKeys, apiKeyId ?? undefined)) return false
  if (ipRanges && context.ip === null && effect === "permit") return false
  if (ipRanges && context.ip !== null && !ipRanges.some((range) => contains(range, context.ip))) return false
  if (time?.notBefore && timeMs < new Date(time.notBefore).valueOf()) return false
  if (time?.notAfter && timeMs >= new Date(time.notAfter).valueOf()) return false
  if (time?.daily && !inDaily(time.daily, timeMs)) return false
  for (const name of ["pcr0", "pcr1", "pcr2", "pcr8"] as const) {
    const expected = enclavePcrs?.[name]
    if (expected && lower(context.enclavePcrs?.[name] ?? "") !== lower(expected)) return false
  }
  return true
}

const lower = (text: string) => text.toLowerCase()

function has(values: readonly string[], value: string | undefined): boolean {
  return value !== undefined && values.includes(value)
}

function contains(range: string, ip: string | null): boolean {
  if (ip === null) return false
  const [base = "", prefix] = range.split("/")
  const family = isIPv6(base) ? "ipv6" : "ipv4"
  const isFour = isIPv4(ip) || ip.toLowerCase().startsWith("::ffff:")
  // A wide IPv6 range matches only IPv6, though it includes the IPv4-mapped addresses.
  if (isFour && family === "ipv6" && Number(prefix ?? 128) < 96) return false
  const list = new BlockList()
  if (prefix === undefined) list.addAddress(base, family)
  else list.addSubnet(base, Number(prefix), family)
  return list.check(ip, isIPv4(ip) ? "ipv4" : "ipv6")
}

function inDaily(
  { from, to, timezone }: { from: string; to: string; timezone: string },
  timeMs: number,
): boolean {
  const now = new Date(timeMs + offsetMs(timezone, timeMs)).toISOString().slice(11, 16)
  return from < to ? from <= now && now < to : from <= now || now < to
}

function offsetMs(timezone: string, timeMs: number): number {
  const year = new Date(timeMs).getUTCFullYear()
  switch (timezone) {
    case "Asia/Kolkata":
      return 5.5 * HOUR_MS
    case "Europe/Dublin": {
      const summer = timeMs >= lastSunday(year, 2) + HOUR_MS && timeMs < lastSunday(year, 9) + HOUR_MS
      return summer ? HOUR_MS : 0
    }
    case "America/New_York": {
      const begins = firstSunday(year, 2) + 7 * 24 * HOUR_MS + 7 * HOUR_MS
      const ends = firstSunday(year, 10) + 6 * HOUR_MS
      return timeMs >= begins && timeMs < ends ? -4 * HOUR_MS : -5 * HOUR_MS
    }
    default:
      return 0
  }
}

function firstSunday(year: number, month: number): number {
  const first = new Date(Date.UTC(year, month, 1))
  return Date.UTC(year, month, 1 + ((7 - first.getUTCDay()) % 7))
}

function lastSunday(year: number, month: number): number {
  const last = new Date(Date.UTC(year, month + 1, 0))
  return Date.UTC(year, month, last.getUTCDate() - last.getUTCDay())
}
