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
export async function requestsPerSecond(
  { url, headers, body }: LoadTarget,
  seconds: number,
): Promise<number> {
  const { requests, duration, errors, non2xx } = await autocannon({
    url,
    method: "POST",
    headers,
    body,
    connections: CONNECTIONS,
    duration: seconds,
  })
  if (errors + non2xx > 0) throw new Error(`${errors + non2xx} requests to ${url} failed`)
  return requests.total / duration
}
