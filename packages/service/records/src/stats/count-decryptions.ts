import type { AccessLog } from "../access-log/access-log.ts"
import type { Change } from "./figures.ts"
import type { Stats } from "./stats.ts"

/** Returns an access log that also counts the values it records: each decryption is recorded there, whatever does it. */
export function countDecryptions(
  accessLog: AccessLog,
  stats: Pick<Stats, "count" | "countGroup">,
): AccessLog {
  return {
    record(record) {
      const { appId, relayId, functionName, roles, withoutRole, total, masked } = record
      accessLog.record(record)
      const groups = {
        ...(relayId !== null && { relay: relayId }),
        ...(functionName !== null && { function: functionName }),
      }
      stats.count(appId, changeOf(total, masked?.total), groups)
      for (const [role, values] of Object.entries(roles)) {
        stats.countGroup(appId, "role", role, changeOf(values, masked?.roles[role]))
      }
      if (withoutRole > 0) stats.countGroup(appId, "role", "", changeOf(withoutRole, masked?.withoutRole))
    },
    flush: () => accessLog.flush(),
  }
}

function changeOf(values: number, masked = 0): Change {
  return masked === 0 ? { decrypted: values } : { decrypted: values - masked, masked }
}
