import { GroupedFigures } from "../stats/figures.ts"
import type { Stats } from "../stats/stats.ts"

/** Counts nothing. */
export const NO_STATS: Stats = {
  process: new GroupedFigures(),
  count: () => undefined,
  countStranger: () => undefined,
  countGroup: () => undefined,
  settle: () => null,
  flush: async () => undefined,
}
