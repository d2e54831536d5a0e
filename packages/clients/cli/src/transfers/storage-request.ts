import { UnavailableFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import { discardBody, type HttpAnswer } from "../terminal/send-request.ts"

/** How often a part is tried, and how long one attempt may take. */
const ATTEMPTS = 5
const TIMEOUT_MS = 600_000
const FIRST_PAUSE_MS = 500

/**
 * Sends a request to the storage by a presigned URL. Returns null when there is no usable answer: the connection broke, the
 * URL has expired, or the storage is busy.
 */
export async function askStorage(
  { fetch, signal }: CliHost,
  url: string,
  request: {
    readonly method: "GET" | "PUT"
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Uint8Array<ArrayBuffer>
  },
): Promise<HttpAnswer | null> {
  try {
    const answer = await fetch(url, {
      headers: {},
      ...request,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    if (answer.status >= 200 && answer.status < 300) return answer
    await discardBody(answer)
    return null
  } catch {
    signal.throwIfAborted()
    return null
  }
}

/**
 * Tries until it succeeds, with growing pauses.
 *
 * @param once returns null when it failed
 * @throws UnavailableFailure after the last attempt
 */
export async function tryStorage<Result>(
  host: CliHost,
  once: () => Promise<Result | null>,
  failure: string,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const result = await once()
    if (result !== null) return result
    if (attempt === ATTEMPTS) throw new UnavailableFailure(failure)
    await host.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1), host.signal)
  }
}
