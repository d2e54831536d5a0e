import { ApiError, ConnectionError, SealwayError } from "../errors/errors.ts"
import { unreachable } from "../errors/unreachable.ts"
import { type Authorization, requireHeaderValue, requireVisible } from "./authorization.ts"
import type { Fetch, FetchRequest } from "./fetch.ts"
import { readAnswer, readRefusal, requestIdOf } from "./read-answer.ts"
import { isTransient, retryDelayMs } from "./retry-delay.ts"
import { parseServiceAddress } from "./service-address.ts"
import type { ApiAnswer, ApiRequest, CallOptions, Transport } from "./transport.ts"

/** Options that all clients have. */
export interface ConnectionOptions {
  /** Where the service is: `https://api.example.com`, locally `$SEALWAY_URL`. */
  readonly baseUrl: string | undefined
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
  /** Called after each attempt of a call, for metrics and traces. Must not throw. */
  readonly onAttempt?: (attempt: Attempt) => void
}

/** One request that was sent, without ids, values and credentials. */
export interface Attempt {
  readonly method: string
  /** The path with `{parameters}` instead of ids. */
  readonly route: string
  /** 1 for the first attempt of a call. */
  readonly number: number
  /** The HTTP status. Null: there was no answer, or none that can be read. */
  readonly status: number | null
  /** The code of the error; null for a success. */
  readonly code: string | null
  /** Names the request in the service's logs. */
  readonly requestId: string | null
  readonly startedAt: Date
  readonly tookMs: number
}

/** What transports take from the outside world; tests have their own. */
export interface Surroundings {
  readonly random: () => number
  /** Monotonic, in milliseconds. */
  readonly now: () => number
  /** Epoch milliseconds. */
  readonly wallClock: () => number
  /** Waits; ends early, with the signal's reason, when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

const SURROUNDINGS: Surroundings = {
  random: Math.random,
  now: performance.now.bind(performance),
  wallClock: Date.now.bind(Date),
  sleep,
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1

/**
 * Creates a transport over fetch. It follows no redirects, because credentials would go with them, and reads no more
 * than `maxResponseBytes`. A failed attempt is repeated if the request is repeatable: with the same `Idempotency-Key`,
 * so that nothing is done twice.
 *
 * @param surroundings what to replace of the outside world. Default: nothing
 * @throws TypeError if an option is wrong
 */
export function createTransport(
  options: Omit<ConnectionOptions, "fetch"> & {
    readonly authorization: Authorization
    readonly fetch?: Fetch
  },
  surroundings: Partial<Surroundings> = {},
): Transport {
  const { random, now, wallClock, sleep } = { ...SURROUNDINGS, ...surroundings }
  const { allowHttp = false, authorization, maxResponseBytes = 64 * 1024 * 1024, onAttempt } = options
  const address = parseServiceAddress("baseUrl", options.baseUrl, allowHttp)
  const fetch: Fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
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
    request: Omit<FetchRequest, "signal">,
    { signal, timeoutMs, wantsBytes }: AttemptOptions,
  ): Promise<Outcome> => {
    const timer = AbortSignal.timeout(timeoutMs)
    const either = signal === undefined ? timer : AbortSignal.any([signal, timer])
    try {
      const response = await fetch(url, { ...request, signal: either })
      const isSuccess = response.status >= 200 && response.status < 300
      if (isSuccess) return { answer: await readAnswer(response, maxResponseBytes, wantsBytes) }
      // Browsers show a redirect with the status 0.
      return { error: await readRefusal(response), status: response.status || null }
    } catch (error) {
      if (error instanceof SealwayError) return { error, status: null }
      return { error: connectionError(error, timer.aborted), status: 0 }
    }
  }

  return {
    async send(request, callOptions = {}) {
      const { timeoutMs, maxRetries } = limitsOf(callOptions)
      const { signal } = callOptions
      const headers = headersOf(request, callOptions, authorization())
      const hasIdempotencyKey = headers["idempotency-key"] !== undefined
      const sent: Omit<FetchRequest, "signal"> = {
        method: request.method,
        headers,
        redirect: "manual",
        ...(request.body && { body: request.body.content }),
      }
      const attemptOptions = { signal, timeoutMs, wantsBytes: request.wantsBytes === true }
      const url = address + request.path + queryOf(request)
      for (let count = 0; ; count++) {
        signal?.throwIfAborted()
        const startedAt = new Date(wallClock())
        const startedMs = now()
        const outcome = await attempt(url, sent, attemptOptions)
        onAttempt?.({
          method: request.method,
          route: request.route ?? request.path,
          number: count + 1,
          ...resultOf(outcome),
          startedAt,
          tookMs: now() - startedMs,
        })
        if ("answer" in outcome) return outcome.answer
        signal?.throwIfAborted()
        const { error, status } = outcome
        const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : null
        const mayHelp =
          status !== null && (status === 0 || isTransient(status, retryAfterMs, hasIdempotencyKey))
        if (!request.isRepeatable || !mayHelp || count >= maxRetries) throw error
        const delayMs = retryDelayMs(count, retryAfterMs, random)
        if (delayMs === null) throw error
        await sleep(delayMs, signal)
      }
    },
  }
}

interface AttemptOptions {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
  readonly wantsBytes: boolean
}

type Outcome =
  | { readonly answer: ApiAnswer }
  /** Status 0: there was no answer. Null: there was a wrong one, which another attempt does not improve. */
  | { readonly error: SealwayError; readonly status: number | null }

function resultOf(outcome: Outcome): Pick<Attempt, "status" | "code" | "requestId"> {
  if ("answer" in outcome) {
    const { status, headers } = outcome.answer
    return { status, code: null, requestId: requestIdOf(headers) }
  }
  const { error } = outcome
  if (!(error instanceof ApiError)) return { status: null, code: error.code, requestId: null }
  return { status: error.status, code: error.code, requestId: error.requestId }
}

function headersOf(
  request: ApiRequest,
  { idempotencyKey }: CallOptions,
  authorization: string | null,
): Record<string, string> {
  // Not a `Headers`: with Node.js, the first one loads all of its fetch, which not everybody uses.
  const headers: Record<string, string> = { accept: "application/json, application/octet-stream" }
  // fetch would quote a wrong value in its message.
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    requireHeaderValue(name, value)
    headers[name] = value
  }
  if (request.body) headers["content-type"] = request.body.contentType
  if (authorization !== null) {
    if (!/^[\x20-\x7e]+$/.test(authorization)) throw new TypeError("The authorization must be visible ASCII.")
    headers.authorization = authorization
  }
  if (request.takesIdempotencyKey) {
    if (idempotencyKey !== undefined) requireVisible("idempotencyKey", idempotencyKey)
    headers["idempotency-key"] = idempotencyKey ?? crypto.randomUUID()
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
