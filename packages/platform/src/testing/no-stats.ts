import type { Stats } from "../stats/stats.ts"

/** Counts nothing. */
export const NO_STATS: Stats = {
  count: () => undefined,
  countGroup: () => undefined,
  settle: () => null,
  flush: async () => undefined,
}
