import type { QueueName } from "@sealway/ports"

/**
 * Deliveries have two queues with separate workers. `quick` tries every delivery first, and gives a receiver a second;
 * `slow` serves receivers that needed longer recently, and gives them the full timeout. So workers that wait for slow
 * receivers delay no others.
 */
export type Lane = "quick" | "slow"

/**
 * The timeout of a request in the quick lane. A cut-off request is made again in the slow one, and counts as no
 * attempt.
 */
export const QUICK_TIMEOUT_MS = 1_000

/** @param lane null when one worker does everything */
export function queueOf(lane: Lane | null): QueueName {
  return lane === "slow" ? "slow-events" : "events"
}
