import { noteTouches } from "@sealway/honey"
import { createEgress } from "@sealway/http/egress"
import type { AuditRecord } from "@sealway/records/audit-chain"
import { createWebhookWorker, QUICK_TIMEOUT_MS, type QueueHandler } from "@sealway/webhooks"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/**
 * Starts the handler of the Lambda function that receives from the queue `events`. It reports partial batch failures.
 */
export function start(environment: ProcessEnvironment): QueueHandler {
  const platform = startPlatform(environment)
  const egress = createEgress({
    allowPrivate: platform.allowPrivateDestinations,
    totalTimeoutMs: QUICK_TIMEOUT_MS,
  })
  const onAuditRecord = (record: AuditRecord) => noteTouches(platform, record)
  return createWebhookWorker({ ...platform, egress, onAuditRecord, lane: "quick" })
}
