import { type ErasureSweepDependencies, sweepErasures } from "@sealway/subjects"
import { type Sweeper, startSweeper } from "./sweeper.ts"

const EVERY_MS = 60_000

/** Destroys the keys of data subjects when their time has come, as the Lambda function `erasure-sweeper` does. */
export function startSweepingErasures(platform: ErasureSweepDependencies): Sweeper {
  const stop = new AbortController()
  const sweeper = startSweeper({
    everyMs: EVERY_MS,
    log: platform.log,
    async sweep() {
      await sweepErasures(platform, stop.signal)
    },
  })
  return {
    close() {
      stop.abort()
      return sweeper.close()
    },
  }
}
