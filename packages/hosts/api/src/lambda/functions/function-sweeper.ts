import { requeueFunctionWork } from "@sealway/functions"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/** Longer than a message can wait, be processed and be received again after a failure. */
const OVERDUE_MS = 1_800_000

/**
 * Starts the handler of the scheduled Lambda function that queues function work again whose message was lost.
 *
 * @throws Error when the configuration names no runs table
 */
export function start(environment: ProcessEnvironment): () => Promise<void> {
  const { runsTable, queues, wallClock, log } = startPlatform(environment)
  if (runsTable === null) throw new Error("The configuration has no runs table")
  return () => requeueFunctionWork({ runsTable, queues, wallClock, log }, { overdueMs: OVERDUE_MS })
}
