import autocannon from "autocannon"

export const CONNECTIONS = 32

export interface LoadTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Sends POST requests one after another on each of 32 connections.
 *
 * @returns requests answered per second
 */
export async function requestsPerSecond(target: LoadTarget, seconds: number): Promise<number> {
  const result = await autocannon({ ...target, duration: seconds, method: "POST", connections: CONNECTIONS })
  const failed = result.errors + result.non2xx
  if (failed > 0) throw new Error(`${failed} requests to ${target.url} failed`)
  return result.requests.total / result.duration
}
