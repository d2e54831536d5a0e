import { setTimeout as delay } from "node:timers/promises"
import type { Report } from "../seldom.ts"
import { FAILED, type Writer } from "./writer.ts"

/** A writer that may end unexpectedly. */
export interface MortalWriter extends Writer {
  /** Resolves when it has ended and every write that it received is answered. */
  readonly ended: Promise<void>
}

export interface RestartOptions {
  readonly report: Report
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Rejects when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
}

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 10_000
/** A writer that lived this long did not end because of a failed start. */
const LASTING_MS = 60_000

const DEFAULTS = {
  now: () => performance.now(),
  wait: (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }),
}

/**
 * Starts a writer, and another one whenever it ends unexpectedly, for example when it runs out of memory. Writes that
 * are unanswered then are answered with a failure: it is not known whether they were written. Acknowledged ones are on
 * disk. The next writer opens the database like a new process would, and refuses it when it is damaged.
 *
 * @throws what the first start throws
 */
export async function startRestartedWriter(
  start: () => Promise<MortalWriter>,
  options: Pick<RestartOptions, "report"> & Partial<RestartOptions>,
): Promise<Writer> {
  const { report, now, wait } = { ...DEFAULTS, ...options }
  const closing = new AbortController()
  let running: MortalWriter | null = await start()
  let startedAt = now()
  let pauseMs = FIRST_PAUSE_MS

  async function startAgain(): Promise<void> {
    while (!closing.signal.aborted) {
      await wait(pauseMs, closing.signal).catch(() => undefined)
      if (closing.signal.aborted) return
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
      try {
        running = await start()
        startedAt = now()
        report("The thread that writes to the tables was restarted.")
        return
      } catch (error) {
        report("The thread that writes to the tables cannot be started. Writes are refused.", error)
      }
    }
  }

  async function keep(): Promise<void> {
    while (running !== null && !closing.signal.aborted) {
      await running.ended
      if (closing.signal.aborted) return
      running = null
      if (now() - startedAt >= LASTING_MS) pauseMs = FIRST_PAUSE_MS
      await startAgain()
    }
  }

  const kept = keep()
  return {
    write: async (write) => running?.write(write) ?? FAILED,
    async close() {
      closing.abort()
      const known = running
      await known?.close()
      await kept
      // A writer that was still starting could not be closed before.
      if (running !== known) await running?.close()
    },
  }
}
