import { requeueEnrolments, requeueSessions } from "@sealway/payments"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/** Longer than a message can wait, be processed and be received again after a failure. */
const OVERDUE_MS = 1_800_000

/**
 * Starts the handler of the scheduled Lambda function that queues enrolments again whose message was lost.
 *
 * @throws Error when the configuration names no payments table
 */
export function start(environment: ProcessEnvironment): () => Promise<void> {
  const { paymentsTable, queues, wallClock, log } = startPlatform(environment)
  if (paymentsTable === null) throw new Error("The configuration has no payments table")
  const dependencies = { paymentsTable, queues, wallClock, log }
  return async () => {
    await requeueEnrolments(dependencies, { overdueMs: OVERDUE_MS })
    await requeueSessions(dependencies, { overdueMs: OVERDUE_MS })
  }
}
