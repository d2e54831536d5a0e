import { setTimeout as sleep } from "node:timers/promises"
import type { Log } from "@sealway/ports"
import {
  type Connection,
  forkWorker,
  type WorkerProcess,
  type WorkerProcessOptions,
} from "./worker-process.ts"

export interface WorkerPoolOptions extends WorkerProcessOptions {
  readonly count: number
  /** How long a worker may take to finish its work when it must end. Then it is killed. */
  readonly drainTimeoutMs: number
  readonly log: Pick<Log, "error">
  /** Called with what a worker reports. Must not throw. */
  readonly onReport?: (report: unknown) => void
}

/** Worker processes that share the connections of one process. One that dies is restarted. */
export interface WorkerPool {
  /** Resolves when all of them accept connections. @throws WorkerNotStartedError */
  start(): Promise<void>
  /** Starts them unless they were started, and does not wait. One that cannot start is tried again, like one that dies. */
  wake(): void
  /** How many of them accept connections. */
  readonly ready: number
  /** Passes a connection to the next of them. Until one is ready some wait; further ones are dropped. */
  hand(connection: Connection): void
  /** Tells all of them what has changed. One that starts later has nothing cached yet. */
  tell(change: unknown): void
  /** Resolves when they have applied what they were told, or after a second if one does not answer. */
  learned(): Promise<void>
  /** Asks all of them to report. Resolves when they have, or after a second if one does not answer. */
  reported(): Promise<void>
  /** Lets all of them finish. */
  close(): Promise<void>
}

/** Thrown when a worker does not start. The message is for people. */
export class WorkerNotStartedError extends Error {
  override readonly name = "WorkerNotStartedError"
}

/** How many connections wait until a worker can take them. */
const MAX_WAITING = 1_024
/**
 * Connections in transit to one worker. So few that its messages about them always fit into the channel, and are sent
 * before they are read.
 */
const MAX_ON_THEIR_WAY = 128
const ANSWER_TIMEOUT_MS = 1_000
const FIRST_RESTART_MS = 100
const MAX_RESTART_MS = 10_000
/** A worker that lived this long did not fail for the same reason as the one before it. */
const STEADY_MS = 60_000
/** For what is written after a worker has drained. */
const EXTRA_DRAIN_MS = 10_000

export function createWorkerPool({
  count,
  drainTimeoutMs,
  log,
  onReport,
  ...options
}: WorkerPoolOptions): WorkerPool {
  const workers = new Set<WorkerProcess>()
  const waiting: Connection[] = []
  const stop = new AbortController()
  const restarts = new Set<Promise<void>>()
  let onChange = Promise.withResolvers<void>()
  let lastChange = 0
  let lastReport = 0
  let isStarted = false

  /** Called when a worker is ready, has applied a change, has reported, or has ended. */
  function changed(): void {
    onChange.resolve()
    onChange = Promise.withResolvers<void>()
  }

  /**
   * Resolves when the worker is ready, and rejects when it ends before.
   *
   * @param failures how many before it failed in a row
   */
  function run(failures: number): Promise<void> {
    const started = Promise.withResolvers<void>()
    let failed = failures
    let steady: NodeJS.Timeout | undefined
    let wasReady = false
    const worker = forkWorker(options, {
      onReady() {
        wasReady = true
        steady = setTimeout(() => {
          failed = 0
        }, STEADY_MS).unref()
        started.resolve()
        handWaiting()
        changed()
      },
      onTaken: handWaiting,
      onLearned: changed,
      onReported(report) {
        onReport?.(report)
        changed()
      },
      onEnd(status, left) {
        clearTimeout(steady)
        workers.delete(worker)
        started.reject(notStarted(status))
        if (!stop.signal.aborted && (wasReady || failures > 0)) {
          log.error("a worker ended and is being restarted", { code: String(status) })
          restart(failed)
        }
        for (const connection of left) hand(connection)
        changed()
      },
    })
    workers.add(worker)
    return started.promise
  }

  function restart(failures: number): void {
    const delayMs = Math.min(FIRST_RESTART_MS * 2 ** failures, MAX_RESTART_MS)
    const restarted = sleep(delayMs, undefined, { signal: stop.signal, ref: false })
      // Its end is handled above.
      .then(() => run(failures + 1))
      .catch(() => undefined)
      .finally(() => restarts.delete(restarted))
    restarts.add(restarted)
  }

  /** Returns the worker with the fewest connections in transit, in turn; null when none can take one now. */
  function nextWorker(): WorkerProcess | null {
    let next: WorkerProcess | null = null
    for (const worker of workers) {
      const { isReady, onTheirWay } = worker
      if (isReady && onTheirWay < (next?.onTheirWay ?? MAX_ON_THEIR_WAY)) next = worker
    }
    if (next === null) return null
    workers.delete(next)
    workers.add(next)
    return next
  }

  function hand(connection: Connection): void {
    const worker = stop.signal.aborted ? null : nextWorker()
    if (worker !== null) worker.hand(connection)
    else if (waiting.length < MAX_WAITING && !stop.signal.aborted) waiting.push(connection)
    else connection.socket.destroy()
  }

  function handWaiting(): void {
    while (waiting.length > 0) {
      const worker = nextWorker()
      if (worker === null) return
      const connection = waiting.shift()
      if (connection !== undefined) worker.hand(connection)
    }
  }

  /** Resolves when it is so of all workers, or after a second. */
  async function untilAll(isSo: (worker: WorkerProcess) => boolean): Promise<void> {
    const areSo = () => [...workers].every(isSo)
    if (areSo()) return
    const timeout = new AbortController()
    const tooLate = sleep(ANSWER_TIMEOUT_MS, true, { signal: timeout.signal }).catch(() => true)
    let isTooLate = false
    while (!isTooLate && !areSo()) {
      isTooLate = await Promise.race([onChange.promise.then(() => false), tooLate])
    }
    timeout.abort()
  }

  async function untilEnded(): Promise<void> {
    while (workers.size > 0) await onChange.promise
  }

  function stopHanding(): void {
    stop.abort()
    for (const { socket } of waiting.splice(0)) socket.destroy()
  }

  async function close(): Promise<void> {
    stopHanding()
    for (const worker of workers) worker.drain()
    const giveUp = setTimeout(() => {
      for (const worker of workers) worker.kill()
    }, drainTimeoutMs + EXTRA_DRAIN_MS)
    await untilEnded()
    clearTimeout(giveUp)
    await Promise.all(restarts)
  }

  return {
    wake() {
      if (isStarted || stop.signal.aborted) return
      isStarted = true
      // Counts as a restart: no caller waits for it, so a failure is logged and retried.
      for (let worker = 0; worker < count; worker++) run(1).catch(() => undefined)
    },
    async start() {
      isStarted = true
      const starts = Array.from({ length: count }, () => run(0))
      try {
        await Promise.all(starts)
      } catch (error) {
        stopHanding()
        for (const worker of workers) worker.kill()
        await Promise.allSettled(starts)
        await untilEnded()
        throw error
      }
    },
    get ready() {
      return [...workers].filter(({ isReady }) => isReady).length
    },
    hand,
    tell(change) {
      lastChange += 1
      for (const worker of workers) if (worker.isReady) worker.tell(lastChange, change)
    },
    learned() {
      const wanted = lastChange
      return untilAll((worker) => worker.hasLearned(wanted))
    },
    reported() {
      const wanted = ++lastReport
      for (const worker of workers) if (worker.isReady) worker.askReport(wanted)
      return untilAll((worker) => worker.hasReported(wanted))
    },
    close,
  }
}

function notStarted(status: number | string): WorkerNotStartedError {
  return new WorkerNotStartedError(
    `A worker could not start: it ended with ${typeof status === "number" ? `status ${status}` : status}. See its output above.`,
  )
}
