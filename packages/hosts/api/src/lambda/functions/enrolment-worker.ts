import { createEnrolmentWorker, type EnrolmentWorker } from "@sealway/payments"
import { createDependencies } from "../../wiring/payments.ts"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/**
 * Starts the handler of the Lambda function that receives from the queues `enrolments` and `card-checks`. It
 * reports partial batch failures.
 */
export function start(environment: ProcessEnvironment): EnrolmentWorker {
  return createEnrolmentWorker(createDependencies(startPlatform(environment)))
}
