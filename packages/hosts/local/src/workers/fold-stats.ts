import { type FoldDependencies, foldStats } from "@sealway/records"
import { type Sweeper, startSweeper } from "./sweeper.ts"

const EVERY_MS = 900_000

/**
 * Adds up the figures of hours that have ended, as the Lambda function `stats-folder` does: at once, for hours that ended
 * before the service was stopped, and every 15 minutes.
 */
export function startFoldingStats(platform: FoldDependencies): Sweeper {
  const stop = new AbortController()
  const fold = async () => {
    await foldStats(platform, stop.signal)
  }
  const first = fold().catch((error) => platform.log.error("folding figures failed", { error }))
  const sweeper = startSweeper({ everyMs: EVERY_MS, log: platform.log, sweep: () => first.then(fold) })
  return {
    async close() {
      stop.abort()
      await first
      await sweeper.close()
    },
  }
}
