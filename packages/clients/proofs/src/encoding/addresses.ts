import { parseIpRange } from "@sealway/policies/analysis"
import { and, atMost, int, or, within } from "../smt/terms.ts"
import type { Operator, OperatorTable } from "./operator.ts"
import { bool, type IpValue, type Value } from "./symbol.ts"

/** The addresses of IPv6 follow those of IPv4. */
export const IPV6_START = 2n ** 32n
export const ADDRESSES_END = IPV6_START + 2n ** 128n

/** The first and last number of a range; null when it is invalid. */
export function rangeNumbers(text: string): { readonly first: bigint; readonly last: bigint } | null {
  const range = parseIpRange(text)
  if (range === null) return null
  const size = 2n ** BigInt(range.bits - range.prefix)
  const start = (range.bits === 32 ? 0n : IPV6_START) + range.value
  const first = start - (range.value % size)
  return { first, last: first + size - 1n }
}

/** IPv4-mapped addresses of IPv6: requests have the addresses of IPv4 that they represent instead. */
export const MAPPED = rangeNumbers("::ffff:0:0/96")
const LOOPBACK = ["127.0.0.0/8", "::1"]
const MULTICAST = ["224.0.0.0/4", "ff00::/8"]

function literal(text: Value | undefined): IpValue | null {
  if (text?.kind !== "text" || text.literal === undefined) return null
  const range = parseIpRange(text.literal)
  const numbers = rangeNumbers(text.literal)
  if (range === null || numbers === null) return null
  return {
    kind: "ip",
    address: int((range.bits === 32 ? 0n : IPV6_START) + range.value),
    prefix: range.prefix === range.bits ? null : range.prefix,
    first: int(numbers.first),
    last: int(numbers.last),
  }
}

/** Of ranges, Cedar looks at the prefix too, which only `isInRange` and `==` are encoded for. */
function isSingleIn(ranges: readonly string[]): Operator {
  const numbers = ranges.flatMap((range) => rangeNumbers(range) ?? [])
  return (ip) => {
    if (ip?.kind !== "ip" || ip.prefix !== null) return null
    return { value: bool(or(...numbers.map(({ first, last }) => within(ip.address, first, last)))) }
  }
}

function family(first: bigint, end: bigint): Operator {
  return (ip) => (ip?.kind === "ip" ? { value: bool(within(ip.address, first, end - 1n)) } : null)
}

/** Addresses and ranges. */
export const ADDRESS_OPERATORS: OperatorTable = new Map<string, Operator>([
  [
    "ip",
    (text) => {
      const value = literal(text)
      return value && { value }
    },
  ],
  [
    "isInRange",
    (ip, range) => {
      if (ip?.kind !== "ip" || range?.kind !== "ip") return null
      return { value: bool(and(atMost(range.first, ip.first), atMost(ip.last, range.last))) }
    },
  ],
  ["isIpv4", family(0n, IPV6_START)],
  ["isIpv6", family(IPV6_START, ADDRESSES_END)],
  ["isLoopback", isSingleIn(LOOPBACK)],
  ["isMulticast", isSingleIn(MULTICAST)],
])
