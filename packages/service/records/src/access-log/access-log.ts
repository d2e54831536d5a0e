import type { AccessRecord } from "./access-record.ts"

/** Records successful decryptions. */
export interface AccessLog {
  /** Never throws and never waits. */
  record(record: AccessRecord): void
  /** Writes the records held in memory. Call it before the process ends. */
  flush(): Promise<void>
}
