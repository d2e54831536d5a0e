import { setTimeout as delay } from "node:timers/promises"
import type { Log } from "@sealway/ports"

export interface SweeperOptions {
  readonly sweep: () => Promise<void>
  /** From the end of one sweep to the start of the next. */
  readonly everyMs: number
  readonly log: Pick<Log, "error">
}

export interface Sweeper {
  /** Resolves when the current sweep is done. Safe to call twice. */
  close(): Promise<void>
}

/**
 * Does what the schedule of a sweeper's Lambda does: sweeps repeatedly, whether or not the previous sweep succeeded.
 */
export function startSweeper({ sweep, everyMs, log }: SweeperOptions): Sweeper {
  const stop = new AbortController()

  async function run(): Promise<void> {
    for (;;) {
      await delay(everyMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)
      if (stop.signal.aborted) return
      await sweep().catch((error) => log.error("sweep failed", { error }))
    }
  }

  const running = run()
  return {
    async close() {
      stop.abort()
      await running
    },
  }
}
