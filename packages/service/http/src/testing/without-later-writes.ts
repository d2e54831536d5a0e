import type { AccessLog } from "@sealway/records"
import { NO_STATS } from "@sealway/records/testing"
import type { Platform } from "../platform.ts"

const NO_ACCESS_LOG: AccessLog = { record: () => {}, flush: async () => {} }

/**
 * A platform that records no figures and no decryptions, which it would write seconds later. A test that ends its cloud
 * without ending its platform would leave it trying that for ever.
 */
export function withoutLaterWrites(platform: Platform): Platform {
  return { ...platform, stats: NO_STATS, accessLog: NO_ACCESS_LOG }
}
