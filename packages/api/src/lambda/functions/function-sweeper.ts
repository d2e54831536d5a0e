import { requeueFunctionWork } from "@sealway/functions"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/** Longer than a message waits, is worked on and is received again after a failure. */
const OVERDUE_MS = 1_800_000

/**
 * The handler of the Lambda function that runs on a schedule, and queues again what no message is left of.
 *
 * @throws Error when the configuration names no table of runs
 */
export function start(environment: ProcessEnvironment): () => Promise<void> {
  const { runsTable, queues, wallClock, log } = startPlatform(environment)
  if (runsTable === null) throw new Error("The configuration names no table of runs")
  return () => requeueFunctionWork({ runsTable, queues, wallClock, log }, { overdueMs: OVERDUE_MS })
}
