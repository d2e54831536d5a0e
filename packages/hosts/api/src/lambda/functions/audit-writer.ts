import { type AuditWriter, createAuditWriter } from "@sealway/records"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/** Starts the handler of the Lambda function that writes the audit log for all others. They call it and wait for it. */
export function start(environment: ProcessEnvironment): AuditWriter {
  return createAuditWriter(startPlatform(environment).auditTable)
}
