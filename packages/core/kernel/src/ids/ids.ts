import { createRandomPool } from "./random-pool.ts"

/** What an id names, by its prefix. */
export type IdPrefix =
  | "team"
  | "app"
  | "key"
  | "member"
  | "invitation"
  | "session"
  | "role"
  | "policy"
  | "client_side_token"
  | "webhook_endpoint"
  | "webhook_event"
  | "webhook_listener"
  | "webhook_delivery"
  | "func"
  | "func_run"
  | "run_token"
  | "relay"
  | "custom_domain"
  | "relay_alert"
  | "relay_activity"
  | "access"
  | "enclave"
  | "honey_token"
  | "data_subject"
  | "honey_touch"
  | "format"
  | "file"
  | "merchant"
  | "acquirer"
  | "card"
  | "card_subscription"
  | "network_token"
  | "network_token_cryptogram"
  | "card_insight"
  | "bin_lookup"
  | "par_lookup"
  | "bin_table"
  | "retry_enrolment"
  | "retry_watch"
  | "chargeback_alert"
  | "tds"

const CROCKFORD_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
const TIME_CHARACTERS = 10
const RANDOM_CHARACTERS = 16

/** How many random bytes an id is made of. */
export const ID_RANDOM_BYTES = RANDOM_CHARACTERS

const randomBytes = createRandomPool(ID_RANDOM_BYTES)

/**
 * Creates an id: the prefix, `_` and a ULID in lower case, which is 10 characters of time and 16 random ones (80 bits)
 * in Crockford's base 32. Ids of later milliseconds sort after earlier ones.
 *
 * @param timeMs epoch milliseconds
 * @param random `ID_RANDOM_BYTES` unpredictable bytes. Default: new ones
 */
export function createId(prefix: IdPrefix, timeMs: number, random: Uint8Array = randomBytes()): string {
  let time = ""
  for (let rest = timeMs; time.length < TIME_CHARACTERS; rest = Math.floor(rest / 32)) {
    time = CROCKFORD_ALPHABET.charAt(rest % 32) + time
  }
  return `${prefix}_${time}${randomPartOf(random)}`
}

/** Returns the end of the id that `createId` creates from these bytes. */
export function randomPartOf(random: Uint8Array): string {
  let text = ""
  for (const byte of random) text += CROCKFORD_ALPHABET[byte & 31]
  return text
}

/** The longest id that is looked up. */
export const MAX_ID_CHARACTERS = 64
const patterns = new Map<IdPrefix, RegExp>()

/** Returns the pattern of an id with this prefix. */
export function idPattern(prefix: IdPrefix): RegExp {
  const known = patterns.get(prefix)
  if (known !== undefined) return known
  const pattern = new RegExp(`^${prefix}_[0-9a-z]{12,${MAX_ID_CHARACTERS - prefix.length - 1}}$`)
  patterns.set(prefix, pattern)
  return pattern
}

/** Returns when an id was created, in epoch milliseconds; null when the text contains no time. */
export function timeOfId(prefix: IdPrefix, id: string): number | null {
  const begin = prefix.length + 1
  let timeMs = 0
  for (let index = begin; index < begin + TIME_CHARACTERS; index++) {
    const digit = index < id.length ? CROCKFORD_ALPHABET.indexOf(id.charAt(index)) : -1
    if (digit === -1) return null
    timeMs = timeMs * 32 + digit
  }
  return timeMs
}

/**
 * Returns the lowest id of a given millisecond. It sorts after all earlier ids.
 *
 * @param timeMs epoch milliseconds
 */
export function idsFrom(prefix: IdPrefix, timeMs: number): string {
  return createId(prefix, timeMs).slice(0, prefix.length + 1 + TIME_CHARACTERS)
}

/** True when `text` has the shape of an id with this prefix. Cheap enough to call before any look-up. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return idPattern(prefix).test(text)
}
