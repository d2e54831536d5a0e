import type { AccessLog } from "./access-log.ts"
import type { AccessRecord } from "./access-record.ts"

/** The member of a line of a function's log that holds an access record. Subscriptions look for its `id`. */
export const ACCESS_MEMBER = "access"

/**
 * Puts access records into the log of the process, one JSON line each, whatever the log level is. In the cloud a
 * subscription carries them to the table. Nothing is kept in memory, and nobody waits.
 *
 * @param write takes a whole line
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
