import type { AccessLog } from "./access-log.ts"
import type { AccessRecord } from "./access-record.ts"

/** The field of a function's log line that holds an access record. Subscriptions look for its `id`. */
export const ACCESS_MEMBER = "access"

/**
 * Writes access records to the log of the process, one JSON line each, at any log level. In the cloud a subscription
 * carries them to the table. Nothing is kept in memory, and no caller waits.
 *
 * @param write writes one whole line
 */
export function createAccessLines(write: (line: string) => unknown): AccessLog {
  return {
    record(record) {
      write(`${accessLine(record)}\n`)
    },
    async flush() {},
  }
}

function accessLine(record: AccessRecord): string {
  return JSON.stringify({
    level: "INFO",
    message: "values decrypted",
    timestamp: new Date(record.at).toISOString(),
    service: "sealway",
    [ACCESS_MEMBER]: record,
  })
}
