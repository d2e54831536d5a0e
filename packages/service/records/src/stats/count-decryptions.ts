import type { AccessLog } from "../access-log/access-log.ts"
import type { Stats } from "./stats.ts"

/** Returns an access log that also counts the values it records: each decryption is recorded there, whatever does it. */
export function countDecryptions(
  accessLog: AccessLog,
  stats: Pick<Stats, "count" | "countGroup">,
): AccessLog {
  return {
    record(record) {
      const { appId, relayId, functionName, roles, withoutRole, total } = record
      accessLog.record(record)
      const groups = {
        ...(relayId !== null && { relay: relayId }),
        ...(functionName !== null && { function: functionName }),
      }
      stats.count(appId, { decrypted: total }, groups)
      for (const [role, decrypted] of Object.entries(roles)) {
        stats.countGroup(appId, "role", role, { decrypted })
      }
      if (withoutRole > 0) stats.countGroup(appId, "role", "", { decrypted: withoutRole })
    },
    flush: () => accessLog.flush(),
  }
}
