import { ConnectionError, SealwayError } from "../errors/errors.ts"
import { unreachable } from "../errors/unreachable.ts"
import { type Authorization, requireVisible } from "./authorization.ts"
import { readAnswer, readRefusal } from "./read-answer.ts"
import { isTransient, retryDelayMs } from "./retry-delay.ts"
import { parseServiceAddress } from "./service-address.ts"
import type { ApiAnswer, ApiRequest, CallOptions, Transport } from "./transport.ts"

/** Options that all clients have. */
export interface ConnectionOptions {
  /** Where the service is: `https://api.example.com`, locally `$SEALWAY_URL`. */
  readonly baseUrl: string
  /** Allows a `baseUrl` that begins with `http://` on other machines than this one. Default: false. */
  readonly allowHttp?: boolean
  /** How long one attempt of a call may take. Default: 60,000. */
  readonly timeoutMs?: number
  /** How often a failed attempt is repeated, if repeating is safe. Default: 3. */
  readonly maxRetries?: number
  /** The largest answer that is read. Default: 64 MiB. */
  readonly maxResponseBytes?: number
  /** Sends requests instead of the global `fetch`, for a proxy, for example. */
  readonly fetch?: typeof fetch
}

/** What transports take from the outside world; tests have their own. */
export interface Surroundings {
  readonly random: () => number
  /** Waits; ends early, with the signal's reason, when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

const SURROUNDINGS: Surroundings = { random: Math.random, sleep }

const MAX_TIMEOUT_MS = 2 ** 31 - 1

/**
 * Creates a transport over fetch. It follows no redirects, because credentials would go with them, and reads no more
 * than `maxResponseBytes`. A failed attempt is repeated if the request is repeatable: with the same `Idempotency-Key`,
 * so that nothing is done twice.
 *
 * @throws TypeError if an option is wrong
 */
export function createTransport(
  options: ConnectionOptions & { readonly authorization: Authorization },
  { random, sleep }: Surroundings = SURROUNDINGS,
): Transport {
  const { allowHttp = false, authorization, maxResponseBytes = 64 * 1024 * 1024 } = options
  const address = parseServiceAddress("baseUrl", options.baseUrl, allowHttp)
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
  requireNumber("maxResponseBytes", maxResponseBytes, Number.MAX_SAFE_INTEGER)
  const limitsOf = ({
    timeoutMs = options.timeoutMs ?? 60_000,
    maxRetries = options.maxRetries ?? 3,
  }: CallOptions) => {
    requireNumber("timeoutMs", timeoutMs, MAX_TIMEOUT_MS)
    requireNumber("maxRetries", maxRetries, 100)
    return { timeoutMs, maxRetries }
  }
  limitsOf({})

  /** Sends a request once. */
  const attempt = async (
    url: string,
    init: RequestInit,
    { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
  ): Promise<Attempt> => {
    signal?.throwIfAborted()
    const timer = AbortSignal.timeout(timeoutMs)
    const either = signal === undefined ? timer : AbortSignal.any([signal, timer])
    try {
      const response = await fetch(url, { ...init, signal: either })
      if (response.ok) return { answer: await readAnswer(response, maxResponseBytes) }
      const retryAfter = response.headers.get("retry-after")
      // Browsers show a redirect with the status 0.
      return { error: await readRefusal(response), status: response.status || null, retryAfter }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof SealwayError) return { error, status: null, retryAfter: null }
      return { error: connectionError(error, timer.aborted), status: 0, retryAfter: null }
    }
  }

  return {
    async send(request, callOptions = {}) {
      const { timeoutMs, maxRetries } = limitsOf(callOptions)
      const { signal } = callOptions
      const headers = headersOf(request, callOptions, authorization())
      const hasIdempotencyKey = headers.has("idempotency-key")
      const init: RequestInit = {
        ...{ method: request.method, headers, redirect: "manual" },
        ...(request.body && { body: request.body.content }),
      }
      const url = address + request.path + queryOf(request)
      for (let count = 0; ; count++) {
        const result = await attempt(url, init, { signal, timeoutMs })
        if ("answer" in result) return result.answer
        const { error, status, retryAfter } = result
        const mayHelp =
          status !== null && (status === 0 || isTransient(status, retryAfter, hasIdempotencyKey))
        if (!request.isRepeatable || !mayHelp || count >= maxRetries) throw error
        const delayMs = retryDelayMs(count, retryAfter, random)
        if (delayMs === null) throw error
        await sleep(delayMs, signal)
      }
    },
  }
}

type Attempt =
  | { readonly answer: ApiAnswer }
  /** Status 0: there was no answer. Null: there was a wrong one, which another attempt does not improve. */
  | { readonly error: SealwayError; readonly status: number | null; readonly retryAfter: string | null }

function headersOf(
  request: ApiRequest,
  { idempotencyKey }: CallOptions,
  authorization: string | null,
): Headers {
  const headers = new Headers({ accept: "application/json, application/octet-stream" })
  // fetch would quote a wrong value in its message.
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    requireVisible(`The header ${name}`, value)
    headers.set(name, value)
  }
  if (request.body) headers.set("content-type", request.body.contentType)
  if (authorization !== null) {
    if (!/^[\x20-\x7e]+$/.test(authorization)) throw new TypeError("The authorization must be visible ASCII.")
    headers.set("authorization", authorization)
  }
  if (request.takesIdempotencyKey) {
    if (idempotencyKey !== undefined) requireVisible("idempotencyKey", idempotencyKey)
    headers.set("idempotency-key", idempotencyKey ?? crypto.randomUUID())
  } else if (idempotencyKey !== undefined) {
    throw new TypeError("This operation takes no idempotencyKey.")
  }
  return headers
}

function queryOf({ query = {} }: ApiRequest): string {
  const text = new URLSearchParams(query).toString()
  return text === "" ? "" : `?${text}`
}

function connectionError(cause: unknown, isTimeout: boolean): ConnectionError {
  return isTimeout
    ? new ConnectionError("connection-timeout", "The service did not answer in time.")
    : unreachable("The service", cause)
}

function requireNumber(name: string, value: number, max: number): void {
  if (!Number.isSafeInteger(value) || value < 0 || value > max) {
    throw new TypeError(`${name} must be a whole number from 0 to ${max}.`)
  }
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end)
      resolve()
    }, ms)
    if (signal?.aborted) end()
    else signal?.addEventListener("abort", end, { once: true })
  })
}
