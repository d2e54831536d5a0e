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
  const { requests, duration } = await send(target, { duration: seconds })
  return requests.total / duration
}

/** Does the same with a number of requests. */
export async function sendRequests(target: LoadTarget, amount: number): Promise<void> {
  await send(target, { amount })
}

async function send(target: LoadTarget, extent: { readonly duration: number } | { readonly amount: number }) {
  const result = await autocannon({ ...target, ...extent, method: "POST", connections: CONNECTIONS })
  const failed = result.errors + result.non2xx
  if (failed > 0) throw new Error(`${failed} requests to ${target.url} failed`)
  return result
}
