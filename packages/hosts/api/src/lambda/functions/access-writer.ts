import { type AccessWriter, createAccessWriter } from "@sealway/records"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/**
 * Starts the handler of the Lambda function that moves access records from the logs of functions to the table. It
 * receives from subscriptions, and from the queue `access-records`.
 */
export function start(environment: ProcessEnvironment): AccessWriter {
  return createAccessWriter(startPlatform(environment))
}
