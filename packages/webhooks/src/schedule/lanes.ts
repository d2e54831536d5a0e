import type { QueueName } from "@sealway/platform"

/**
 * Deliveries have two queues, each with workers of its own. `quick` takes every delivery first, and gives a receiver a
 * second; `slow` takes those to receivers that needed longer lately, and gives them all the time that is promised. So
 * workers that are held by slow receivers are none that the others wait for.
 */
export type Lane = "quick" | "slow"

/** How long a request may take in the quick lane. One that is cut off is made again in the slow one, and counts as no attempt. */
export const QUICK_TIMEOUT_MS = 1_000

/** @param lane null where one worker does everything */
export function queueOf(lane: Lane | null): QueueName {
  return lane === "slow" ? "slow-events" : "events"
}
