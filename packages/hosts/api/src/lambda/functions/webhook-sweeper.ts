import { requeuePending } from "@sealway/webhooks"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/** Longer than a message can wait, be processed and be received again after a failure. */
const OVERDUE_MS = 1_800_000

/** Starts the handler of the scheduled Lambda function that queues deliveries again whose message was lost. */
export function start(environment: ProcessEnvironment): () => Promise<void> {
  const platform = startPlatform(environment)
  return () => requeuePending(platform, { overdueMs: OVERDUE_MS })
}
