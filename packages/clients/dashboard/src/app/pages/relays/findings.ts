import type { RelayActivity } from "@sealway/sdk/api"

/** A place at which card numbers leaked. */
export interface Finding {
  readonly direction: "request" | "response"
  readonly path: string
  /** In how many requests. */
  readonly count: number
  readonly latest: Pick<RelayActivity, "id" | "createdAt">
}

/**
 * Returns the places of leaks, the one with the most requests first.
 *
 * @param requests newest first
 */
export function findingsOf(
  requests: readonly Pick<RelayActivity, "id" | "createdAt" | "leaks">[],
): readonly Finding[] {
  const byPlace = new Map<string, Finding>()
  for (const { id, createdAt, leaks } of requests) {
    for (const { direction, path } of leaks) {
      const known = byPlace.get(`${direction} ${path}`)
      const latest = known?.latest ?? { id, createdAt }
      byPlace.set(`${direction} ${path}`, { direction, path, count: (known?.count ?? 0) + 1, latest })
    }
  }
  return [...byPlace.values()].sort((one, other) => other.count - one.count)
}
