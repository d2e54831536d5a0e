export { type AuditLoadResult, MAX_CALL_MS, writeAuditLoad } from "./audit-load.ts"
export { NO_STATS } from "./no-stats.ts"
