export interface Timers {
  set(action: () => void, delayMs: number): number
  clear(timer: number): void
}

/** How long nothing must have been typed before a page learns of a change. Between two keys of a word it is less. */
export const QUIET_MS = 300

/** Calls something once after it was asked for and then not asked for again for a while. */
export interface Coalesced {
  ask(): void
  /** Resolves when nothing is waiting. */
  settled(): Promise<void>
}

/**
 * A page must not learn when keys are pressed, or how many: what it is told waits until typing has paused.
 */
export function coalesce(action: () => void, timers: Timers, quietMs = QUIET_MS): Coalesced {
  let timer: number | null = null
  let waiting: (() => void)[] = []
  const run = () => {
    timer = null
    action()
    const resolved = waiting
    waiting = []
    for (const resolve of resolved) resolve()
  }
  return {
    ask() {
      if (timer !== null) timers.clear(timer)
      timer = timers.set(run, quietMs)
    },
    settled: () =>
      timer === null ? Promise.resolve() : new Promise<void>((resolve) => void waiting.push(resolve)),
  }
}
