import { requeuePending } from "@sealway/webhooks"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/** Longer than a message waits, is worked on and is received again after a failure. */
const OVERDUE_MS = 1_800_000

/** The handler of the Lambda function that runs on a schedule, and queues again what no message is left of. */
export function start(environment: ProcessEnvironment): () => Promise<void> {
  const platform = startPlatform(environment)
  return () => requeuePending(platform, { overdueMs: OVERDUE_MS })
}
