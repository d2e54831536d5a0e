/** Reports a problem to the operator. The message contains no data. */
export type Report = (message: string, error?: unknown) => void

const PAUSE_MS = 60_000

/** Passes each message on at most once a minute, because a broken disk breaks every call. */
export function seldom(report: Report, clock: () => number): Report {
  const told = new Map<string, number>()
  return (message, error) => {
    const now = clock()
    if (now - (told.get(message) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) return
    told.set(message, now)
    report(message, error)
  }
}
