/** Tells whoever runs the service. The message names no content. */
export type Report = (message: string, error?: unknown) => void

const PAUSE_MS = 60_000

/** Passes a message on at most once a minute: a broken disk breaks every call. */
export function seldom(report: Report, clock: () => number): Report {
  const told = new Map<string, number>()
  return (message, error) => {
    const now = clock()
    if (now - (told.get(message) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) return
    told.set(message, now)
    report(message, error)
  }
}
