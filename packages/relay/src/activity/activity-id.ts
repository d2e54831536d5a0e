import { idsFrom, timeOfId } from "@sealway/kernel"

/** When a request came, by the id of its activity: epoch milliseconds. Null: the id holds no time. */
export function timeOfActivity(id: string): number | null {
  return timeOfId("relay_activity", id)
}

/** What ids of a time and later are not less than, and ids of before are less than. @param timeMs epoch milliseconds */
export function activityIdsFrom(timeMs: number): string {
  return idsFrom("relay_activity", timeMs)
}
