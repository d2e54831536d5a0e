export { createAccessBlock, readAccessLog } from "./access-log/access-block-table.ts"
export { accessBlocksOf } from "./access-log/access-blocks.ts"
export { ACCESS_MEMBER, createAccessLines } from "./access-log/access-lines.ts"
export type { AccessLog } from "./access-log/access-log.ts"
export { type AccessRecord, accessRecordSchema } from "./access-log/access-record.ts"
export { createAccessRecorder } from "./access-log/access-recorder.ts"
export { type AccessWriter, createAccessWriter } from "./access-log/access-writer.ts"
export { createAuditExportHandler } from "./audit/audit-export-handler.ts"
export { type AuditArchive, createAuditExporter } from "./audit/audit-exporter.ts"
export { MAX_WAIT_MS } from "./audit/audit-group.ts"
export {
  type AuditAuthor,
  type AuditEntry,
  type AuditHistory,
  type AuditLog,
  type AuditRecord,
  appEntry,
  audited,
  authorOf,
  createAuditLog,
  publishAuditRecord,
  SYSTEM,
} from "./audit/audit-log.ts"
export { type AuditTable, createAuditTable } from "./audit/audit-table.ts"
export {
  AUDIT_WRITER_GRANTS,
  type AuditWriter,
  createAuditWriter,
  writtenByFunction,
} from "./audit/audit-writer.ts"
export { commitInGroup } from "./audit/group-commit.ts"
export { recordChanges } from "./audit/record-changes.ts"
export {
  type BriefEventData,
  createEvents,
  type EventRecipient,
  type Events,
  type EventType,
  eventKey,
  findBriefEventData,
  LISTENED_SECONDS,
  type NewEvent,
  openEventData,
  PENDING_PARTITIONS,
  pendingKey,
  SealedEventData,
  sealEventData,
  takesEvent,
} from "./events/events.ts"
export {
  COUNT_METRICS,
  createCloudMetrics,
  LATENCY_METRICS,
  METRICS_SERVICE,
  metricsNamespace,
} from "./stats/cloud-metrics.ts"
export { countDecryptions } from "./stats/count-decryptions.ts"
export { addReport, createFigureReports } from "./stats/figure-reports.ts"
export {
  COUNTERS,
  type Counter,
  DIMENSIONS,
  type Dimension,
  Figures,
  GroupedFigures,
  OTHERS,
  prepareChange,
  TIMERS,
  type Timer,
} from "./stats/figures.ts"
export { type FoldDependencies, foldStats } from "./stats/fold-stats.ts"
export { beginOf, INTERVAL_MS, INTERVALS, type Interval } from "./stats/intervals.ts"
export { upperBoundOf } from "./stats/latency-histogram.ts"
export { readStats, type StatsOfRange } from "./stats/read-stats.ts"
export { createStats, type Stats } from "./stats/stats.ts"
