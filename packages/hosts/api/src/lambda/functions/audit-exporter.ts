import { createAuditExporter, createAuditExportHandler } from "@sealway/records"
import { createS3AuditArchive } from "../s3-audit-archive.ts"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/**
 * Starts the handler of the Lambda function that copies audit records to a bucket. The stream of their table tells it of new
 * ones. In addition to the platform's variables it reads `SEALWAY_AUDIT_EXPORT_BUCKET`.
 *
 * @throws Error when that is missing
 */
export function start(environment: ProcessEnvironment): (event: unknown) => Promise<void> {
  const { SEALWAY_AUDIT_EXPORT_BUCKET: bucket } = environment
  if (bucket === undefined) throw new Error("SEALWAY_AUDIT_EXPORT_BUCKET is missing")
  const { auditTable, connect, log } = startPlatform(environment)
  return createAuditExportHandler(createAuditExporter(auditTable, createS3AuditArchive(connect, bucket)), log)
}
