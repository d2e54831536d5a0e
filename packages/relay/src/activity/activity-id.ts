import { createId } from "@sealway/kernel"

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
const TIME_START = "relay_activity_".length
const TIME_END = TIME_START + 10

/** When a request came, by the id of its activity: epoch milliseconds. Null: the id holds no time. */
export function timeOfActivity(id: string): number | null {
  let timeMs = 0
  for (const character of id.slice(TIME_START, TIME_END)) {
    const digit = ALPHABET.indexOf(character)
    if (digit === -1) return null
    timeMs = timeMs * 32 + digit
  }
  return timeMs
}

/** What ids of a time and later are not less than, and ids of before are less than. @param timeMs epoch milliseconds */
export function activityIdsFrom(timeMs: number): string {
  return createId("relay_activity", timeMs).slice(0, TIME_END)
}
