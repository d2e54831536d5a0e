import { idsFrom, timeOfId } from "@sealway/kernel"

/**
 * Returns when a request arrived, from the id of its activity, in epoch milliseconds; null when the id contains no
 * time.
 */
export function timeOfActivity(id: string): number | null {
  return timeOfId("relay_activity", id)
}

/** Returns the lowest id of a given millisecond. @param timeMs epoch milliseconds */
export function activityIdsFrom(timeMs: number): string {
  return idsFrom("relay_activity", timeMs)
}
