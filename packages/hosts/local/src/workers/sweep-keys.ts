import { type SweepDependencies, sweepHsmKeys } from "@sealway/keys"
import { type Sweeper, startSweeper } from "./sweeper.ts"

/** It looks once a day; asking whether that has been done costs little. */
const EVERY_MS = 900_000

/** Lets KMS delete keys that no key version uses, as the Lambda function `hsm-key-sweeper` does. */
export function startSweepingKeys(platform: SweepDependencies): Sweeper {
  const stop = new AbortController()
  const sweeper = startSweeper({
    everyMs: EVERY_MS,
    log: platform.log,
    async sweep() {
      await sweepHsmKeys(platform, stop.signal)
    },
  })
  return {
    close() {
      stop.abort()
      return sweeper.close()
    },
  }
}
