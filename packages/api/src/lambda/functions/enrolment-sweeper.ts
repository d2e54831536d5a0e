import { requeueEnrolments, requeueSessions } from "@sealway/payments"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/** Longer than a message waits, is worked on and is received again after a failure. */
const OVERDUE_MS = 1_800_000

/**
 * The handler of the Lambda function that runs on a schedule, and queues again what no message is left of.
 *
 * @throws Error when the configuration names no table of payments
 */
export function start(environment: ProcessEnvironment): () => Promise<void> {
  const { paymentsTable, queues, wallClock, log } = startPlatform(environment)
  if (paymentsTable === null) throw new Error("The configuration names no table of payments")
  const dependencies = { paymentsTable, queues, wallClock, log }
  return async () => {
    await requeueEnrolments(dependencies, { overdueMs: OVERDUE_MS })
    await requeueSessions(dependencies, { overdueMs: OVERDUE_MS })
  }
}
