import type { AccessRecord } from "./access-record.ts"

/** Where successful decryptions are put on record. */
export interface AccessLog {
  /** Never throws and never waits. */
  record(record: AccessRecord): void
  /** Writes what is kept in memory. To be called before the process ends. */
  flush(): Promise<void>
}
