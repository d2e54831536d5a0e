import { IPV6_START } from "../encoding/addresses.ts"
import type { Interval } from "../encoding/dimensions.ts"
import { addressText } from "../encoding/question-of.ts"

/** More ranges are written by their ends. */
const MAX_RANGES = 3

/** Spells addresses as few ranges in CIDR notation. @param unknown the word for an address that is not known */
export function spellAddresses(intervals: readonly Interval[], unknown: string): string[] {
  return intervals.flatMap(({ first, last }) => {
    const isUnknown = first < 0n
    const start = isUnknown ? 0n : first
    const v4 =
      start < IPV6_START ? [spellInterval(start, last < IPV6_START ? last : IPV6_START - 1n, 32)] : []
    const v6 = last >= IPV6_START ? [spellInterval(start < IPV6_START ? IPV6_START : start, last, 128)] : []
    return [...(isUnknown ? [unknown] : []), ...(last < 0n ? [] : [...v4, ...v6].flat())]
  })
}

function spellInterval(first: bigint, last: bigint, bits: 32 | 128): string[] {
  const base = bits === 32 ? 0n : IPV6_START
  const ranges: string[] = []
  let at = first
  while (at <= last) {
    let prefix: number = bits
    // The largest block that begins here and does not reach beyond the end.
    while (prefix > 0) {
      const size = 1n << BigInt(bits - prefix + 1)
      if ((at - base) % size !== 0n || at + size - 1n > last) break
      prefix--
    }
    ranges.push(prefix === bits ? addressText(at) : `${addressText(at)}/${prefix}`)
    at += 1n << BigInt(bits - prefix)
    if (ranges.length > MAX_RANGES) return [`${addressText(first)}-${addressText(last)}`]
  }
  return ranges
}
