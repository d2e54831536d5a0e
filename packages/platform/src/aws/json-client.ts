import type { Readable } from "node:stream"
import { Sha256 } from "@smithy/core/checksum"
import { HttpRequest } from "@smithy/core/protocols"
import {
  isClockSkewError,
  isThrottlingError,
  isTransientError,
  StandardRetryStrategy,
} from "@smithy/core/retry"
import { SignatureV4 } from "@smithy/signature-v4"
import type { RetryErrorInfo, SdkError } from "@smithy/types"
import { regionalEndpoint } from "./endpoints.ts"
import type { JsonService } from "./json-services.ts"
import type { Operations } from "./operations.ts"
import { FunctionFailedError, readServiceError } from "./service-error.ts"

/** A client of a service of AWS. */
export interface JsonClient<Known extends Operations> {
  /**
   * Calls an operation, repeatedly where a retry may help.
   *
   * @throws AwsServiceError for what the service refuses, and any error of the connection
   */
  call<Name extends keyof Known & string>(
    operation: Name,
    input: Known[Name]["input"],
    options?: CallOptions,
  ): Promise<Known[Name]["output"]>
}

export interface CallOptions {
  /** Ends the call with an AbortError. */
  readonly abortSignal?: AbortSignal
  /** How long the head of an answer may take, in each attempt. Default: what the sender allows. */
  readonly requestTimeout?: number
}

/** Sends requests: `NodeHttpHandler` of the SDK, or a service in this process. */
export interface RequestSender {
  handle(
    request: HttpRequest,
    options?: CallOptions,
  ): Promise<{
    readonly response: {
      readonly statusCode: number
      readonly headers: Readonly<Record<string, string>>
      readonly body?: Uint8Array | Readable
    }
  }>
}

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface JsonClientOptions {
  readonly region: string
  /** Default: that of the region. */
  readonly endpoint?: string | undefined
  readonly sender: RequestSender
  /** Null signs nothing. A function is called for each attempt. */
  readonly credentials: AwsCredentials | (() => Promise<AwsCredentials>) | null
  /** How long the rest of an answer may take after its head, with which the sender's timeouts end. Default: 3,000. */
  readonly restTimeoutMs?: number
  /** How often a call is made at most. Default: 3. */
  readonly maxAttempts?: number
  /** Returns the header by which Lambda recognises functions that call each other without end. Default: there is none. */
  readonly traceIdOf?: () => string | undefined
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

const UTF8 = new TextDecoder()

/** From here on the SDK takes the two clocks for different: AWS refuses a signature after 5 minutes. */
const CLOCK_SKEW_MS = 240_000

/**
 * Creates a client of a service that speaks JSON. It signs, sends and retries with the SDK's own parts, in the SDK's
 * standard mode. What it does without are the middlewares, schemas and rules of endpoints that come with the SDK's
 * clients: to load these takes longer than all the rest of a cold start, and to pass them longer than a call.
 */
export function createJsonClient<Known extends Operations>(
  service: JsonService,
  options: JsonClientOptions,
): JsonClient<Known> {
  const { region, endpoint, sender, credentials, maxAttempts = 3, wallClock } = options
  const { restTimeoutMs = 3_000, traceIdOf = () => undefined } = options
  const retries = new StandardRetryStrategy(maxAttempts)
  const { protocol, hostname, port, pathname } = endpoint
    ? new URL(endpoint)
    : regionalEndpoint(service.name, region)
  const host = port === "" ? hostname : `${hostname}:${port}`
  const signer =
    credentials === null
      ? null
      : new SignatureV4({ service: service.name, region, credentials, sha256: Sha256 })
  const pathOf = (input: object) =>
    service.pathOf === undefined ? pathname : pathname.replace(/\/$/, "") + service.pathOf(input)
  /** How far the clock of AWS is ahead. */
  let clockAheadMs = 0

  async function attempt(
    operation: string,
    input: object,
    body: string,
    options?: CallOptions,
  ): Promise<object> {
    const traceId = traceIdOf()
    const request = new HttpRequest({
      method: "POST",
      protocol,
      hostname,
      path: pathOf(input),
      body,
      ...(port !== "" && { port: Number(port) }),
      headers: {
        host,
        "content-type": service.contentType,
        "content-length": String(Buffer.byteLength(body)),
        ...(service.targetPrefix !== null && { "x-amz-target": `${service.targetPrefix}.${operation}` }),
        ...(traceId && { "x-amzn-trace-id": traceId }),
      },
    })
    const signingDate = new Date(wallClock() + clockAheadMs)
    const signed = signer === null ? request : await signer.sign(request, { signingDate })
    const { response } = await sender.handle(HttpRequest.clone(signed), options)
    const answer = await textOf(response.body, restTimeoutMs)
    const isOfFunction = response.headers["x-amz-function-error"] !== undefined
    if (response.statusCode < 300 && !isOfFunction) return service.decode(JSON.parse(answer || "{}"))
    if (isOfFunction) throw new FunctionFailedError()
    const error = readServiceError(response, answer, service.decode)
    const dateOfAws = Date.parse(response.headers.date ?? "")
    const isSkewed = Math.abs(dateOfAws - signingDate.getTime()) >= CLOCK_SKEW_MS
    if (isSkewed && isSdkError(error) && isClockSkewError(error)) {
      clockAheadMs = dateOfAws - wallClock()
      error.$metadata.clockSkewCorrected = true
    }
    throw error
  }

  return {
    async call(operation, input, options) {
      const body = JSON.stringify(service.encode(input))
      let token = await retries.acquireInitialRetryToken("")
      for (;;) {
        try {
          const output = await attempt(operation, input, body, options)
          retries.recordSuccess(token)
          // Which answer belongs to an operation is known by its type alone.
          return output as never
        } catch (error) {
          // Waits before it resolves.
          const pause = retries.refreshRetryTokenForRetry(token, failureOf(error)).catch(() => null)
          const next = await unlessAborted(pause, options?.abortSignal)
          if (next === null) throw error
          token = next
        }
      }
    },
  }
}

function failureOf(error: unknown): RetryErrorInfo {
  if (!isSdkError(error)) return { errorType: "CLIENT_ERROR" }
  if (isThrottlingError(error)) return { error, errorType: "THROTTLING" }
  return { error, errorType: isTransientError(error) ? "TRANSIENT" : "CLIENT_ERROR" }
}

/** The rules read what an error may have, of ours and of Node.js. */
function isSdkError(error: unknown): error is SdkError {
  return error instanceof Error
}

/** @throws Error named AbortError as soon as the signal is aborted */
async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return work
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(named("AbortError", "The call was aborted."))
  signal.addEventListener("abort", abort)
  if (signal.aborted) abort()
  try {
    return await Promise.race([aborted.promise, work])
  } finally {
    signal.removeEventListener("abort", abort)
  }
}

async function textOf(body: Uint8Array | Readable = new Uint8Array(), timeoutMs: number): Promise<string> {
  if (body instanceof Uint8Array) return UTF8.decode(body)
  const late = () =>
    body.destroy(named("TimeoutError", "The rest of an answer of AWS did not arrive in time."))
  const timer = setTimeout(late, timeoutMs)
  try {
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  } finally {
    clearTimeout(timer)
  }
}

/** Named as the sender names its own. */
function named(name: "AbortError" | "TimeoutError", message: string): Error {
  return Object.assign(new Error(message), { name })
}
