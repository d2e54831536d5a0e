export { type AuditLoadResult, writeAuditLoad } from "./audit-load.ts"
export { NO_STATS } from "./no-stats.ts"
