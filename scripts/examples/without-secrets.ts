/** Texts that change with each run, or that scanners take for secrets, and what stands in an example. */
const REPLACEMENTS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/-----BEGIN [A-Z ]+-----[\s\S]*?-----END [A-Z ]+-----\n?/g, "PEM"],
  [/\bswk_(sandbox|production|team)_[0-9A-Za-z]+_[0-9A-Za-z]+/g, "swk_$1_EXAMPLE"],
  [/\bwhsec_[0-9A-Za-z+/=]+/g, "whsec_EXAMPLE"],
  [/\beyJ[0-9A-Za-z_-]+\.[0-9A-Za-z_-]+\.[0-9A-Za-z_-]+/g, "EXAMPLE.JSON.WEB-TOKEN"],
  [/\b((?:[a-z]+_)+)[0-9a-hjkmnp-tv-z]{26}\b/g, "$101examp1e00000000000000000"],
  [/\bev:[0-9A-Za-z+/=:_-]+:\$/g, "ev:c3cx:EXAMPLE:$"],
  [/[0-9a-f]{64}/g, "0".repeat(64)],
  [/^[0-9A-Za-z+/]{43}=$/, `${"A".repeat(43)}=`],
]
/** Epoch milliseconds of this century. */
const isTime = (value: number): boolean => value > 1_600_000_000_000 && value < 4_000_000_000_000
const EXAMPLE_TIME = 1_767_225_600_000

/** Returns a JSON value without what is secret or different in each run. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === "number") return isTime(value) ? EXAMPLE_TIME : value
  if (typeof value === "string") {
    return REPLACEMENTS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), value)
  }
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutSecrets(each)]))
}
