import { lookup as dnsLookup } from "node:dns"
import type { LookupFunction } from "node:net"
import type { SecureContext } from "node:tls"
import { createGuardedConnector, EgressError } from "@sealway/http/egress"
import { ApiError, checkDestinationUrl, parseStrictJson } from "@sealway/kernel"
import { asciiJson, signatureHeaders } from "@sealway/webhooks"
import { Agent } from "undici"
import { type CircuitBreaker, createCircuitBreaker } from "./circuit-breaker.ts"
import {
  type ConnectorOperation,
  MAX_CARD_ART_BYTES,
  MAX_CONNECTOR_MESSAGE_BYTES,
  PING,
} from "./connector-operation.ts"

/** A connector that is ready to be asked. */
export interface ConnectorTarget {
  readonly appId: string
  /** Distinguishes the connector from the app's earlier ones. */
  readonly connectorId: string
  /** Distinguishes this configuration from all others that the app has had. */
  readonly revision: number
  /** https, without a trailing slash. */
  readonly url: string
  /** `whsec_…`, newest first. */
  readonly secrets: readonly string[]
  /** Called once for all connections with this configuration. */
  readonly openTls: () => SecureContext
}

/** Why a connector gave no usable answer. */
export type ConnectorFailure =
  | "destination-refused"
  | "timeout"
  | "unreachable"
  | "status-code"
  | "invalid-answer"

export class ConnectorError extends Error {
  override readonly name = "ConnectorError"
  readonly reason: ConnectorFailure
  /** Null when there was no response. */
  readonly statusCode: number | null

  constructor(reason: ConnectorFailure, statusCode: number | null = null, options?: ErrorOptions) {
    super(`The connector's response was invalid: ${reason}`, options)
    this.reason = reason
    this.statusCode = statusCode
  }
}

export interface ConnectorClientOptions {
  readonly allowPrivate: boolean
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Epoch milliseconds. */
  readonly wallClock: () => number
  /** Returns a new unique text that names a request in all its attempts. */
  readonly newRequestId: () => string
  /** Default: the system's resolver. */
  readonly lookup?: LookupFunction
  /** For one request with all its attempts. Default: 10,000. */
  readonly deadlineMs?: number
  /** The first wait between attempts. Each further one is four times as long. Default: 100. */
  readonly retryMs?: number
  /** Default: `Math.random`. */
  readonly random?: () => number
}

export interface ConnectorClient {
  /**
   * Asks a connector, with retries if these may help and time allows, always with the same `Idempotency-Key`.
   *
   * @throws ApiError `service-unavailable` when it does not answer correctly in time, or has kept failing recently
   */
  ask<Request, Answer>(
    target: ConnectorTarget,
    operation: ConnectorOperation<Request, Answer>,
    request: Request,
  ): Promise<Answer>
  /** Asks once whether it is reachable, regardless of earlier failures. @throws ConnectorError */
  ping(target: ConnectorTarget): Promise<void>
  close(): Promise<void>
}

const DEADLINE_MS = 10_000
const CONNECT_TIMEOUT_MS = 5_000
const RETRY_MS = 100
const MAX_ATTEMPTS = 3
/** The maximum number of connections to one connector. Further requests wait for one, within their deadline. */
const MAX_CONNECTIONS = 32
const MAX_CONNECTORS = 200
/** No message is nested deeper. */
const MAX_DEPTH = 16
/** The statuses of a connector that is busy, restarting or behind a broken proxy. */
const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

interface Line {
  readonly agent: Agent
  readonly breaker: CircuitBreaker
}

export function createConnectorClient(options: ConnectorClientOptions): ConnectorClient {
  const { allowPrivate, now, wallClock, newRequestId, lookup = dnsLookup, random = Math.random } = options
  const { deadlineMs = DEADLINE_MS, retryMs = RETRY_MS } = options
  /** The least recently used one comes first. */
  const lines = new Map<string, Line>()

  function lineOf({ appId, revision, openTls }: ConnectorTarget): Line {
    const name = `${appId} ${revision}`
    const known = lines.get(name)
    if (known !== undefined) {
      lines.delete(name)
      lines.set(name, known)
      return known
    }
    const agent = new Agent({
      connect: createGuardedConnector({
        allowPrivate,
        lookup,
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
        secureContext: load(openTls),
      }),
      connections: MAX_CONNECTIONS,
      pipelining: 1,
      headersTimeout: deadlineMs,
      bodyTimeout: deadlineMs,
      maxResponseSize: MAX_CARD_ART_BYTES,
    })
    const line = { agent, breaker: createCircuitBreaker({ now }) }
    lines.set(name, line)
    for (const [oldest, { agent: idle }] of lines) {
      if (lines.size <= MAX_CONNECTORS) break
      lines.delete(oldest)
      // Waits for what is in flight.
      void idle.close().catch(() => undefined)
    }
    return line
  }

  function availableLine(target: ConnectorTarget): Line {
    try {
      return lineOf(target)
    } catch (error) {
      throw unavailable(error)
    }
  }

  async function attempt<Request, Answer>(
    { agent }: Line,
    { appId, url, secrets }: ConnectorTarget,
    operation: ConnectorOperation<Request, Answer>,
    { id, body, remainingMs }: { readonly id: string; readonly body: string; readonly remainingMs: number },
  ): Promise<Answer> {
    const { path, answer } = operation
    const destination = checkDestinationUrl(url + path, { allowPrivate })
    if (!destination.admitted || destination.url.protocol !== "https:") {
      throw new ConnectorError("destination-refused")
    }
    const { origin, pathname } = destination.url
    let statusCode: number | null = null
    try {
      const reply = await agent.request({
        origin,
        path: pathname,
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          "idempotency-key": id,
          "x-service-app-id": appId,
          ...signatureHeaders(id, body, secrets, wallClock()),
        },
        body,
        signal: AbortSignal.timeout(remainingMs),
      })
      statusCode = reply.statusCode
      const bytes = await readBounded(reply.body, maxAnswerBytesOf(operation))
      if (statusCode !== 200) throw new ConnectorError("status-code", statusCode)
      const parsed = answer.safeParse(parseStrictJson(bytes, MAX_DEPTH))
      if (!parsed.success) throw new ConnectorError("invalid-answer", statusCode)
      return parsed.data
    } catch (error) {
      throw toConnectorError(error, statusCode)
    }
  }

  async function askUntil<Request, Answer>(
    line: Line,
    target: ConnectorTarget,
    operation: ConnectorOperation<Request, Answer>,
    body: string,
  ): Promise<Answer> {
    const endsAt = now() + deadlineMs
    const id = newRequestId()
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(line, target, operation, {
          id,
          body,
          remainingMs: Math.max(Math.ceil(endsAt - now()), 1),
        })
      } catch (error) {
        const waitMs = retryMs * 4 ** (attempts - 1) * (1 + random())
        if (attempts === MAX_ATTEMPTS || !mayPass(error) || now() + waitMs >= endsAt) throw error
        await new Promise((resolve) => setTimeout(resolve, waitMs))
      }
    }
  }

  return {
    async ask(target, operation, request) {
      const body = asciiJson(JSON.stringify(operation.request.parse(request)))
      const line = availableLine(target)
      if (!line.breaker.admit()) throw unavailable()
      try {
        const answer = await askUntil(line, target, operation, body)
        line.breaker.report(true)
        return answer
      } catch (error) {
        line.breaker.report(false)
        throw unavailable(error)
      }
    },
    async ping(target) {
      const body = "{}"
      const remainingMs = deadlineMs
      await attempt(lineOf(target), target, PING, { id: newRequestId(), body, remainingMs })
    },
    async close() {
      await Promise.all([...lines.values()].map(({ agent }) => agent.destroy()))
    },
  }
}

/** A later version of OpenSSL may refuse a certificate that was valid when the connector was set. */
function load(openTls: () => SecureContext): SecureContext {
  try {
    return openTls()
  } catch (cause) {
    throw new ConnectorError("unreachable", null, { cause })
  }
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof ConnectorError)) return false
  if (error.reason === "status-code") return RETRIED_STATUSES.has(error.statusCode ?? 0)
  return error.reason === "unreachable"
}

function maxAnswerBytesOf({ maxAnswerBytes }: { readonly maxAnswerBytes?: number }): number {
  return maxAnswerBytes ?? MAX_CONNECTOR_MESSAGE_BYTES
}

async function readBounded(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new ConnectorError("invalid-answer")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const TIMEOUTS: ReadonlySet<string> = new Set([
  "TimeoutError",
  "AbortError",
  "ConnectTimeoutError",
  "HeadersTimeoutError",
  "BodyTimeoutError",
])

function toConnectorError(error: unknown, statusCode: number | null): ConnectorError {
  if (error instanceof ConnectorError) return error
  if (error instanceof EgressError) return new ConnectorError(error.reason, null, { cause: error })
  const name = error instanceof Error ? error.name : ""
  if (TIMEOUTS.has(name)) return new ConnectorError("timeout", statusCode, { cause: error })
  // Before there was a status, nothing was read that could be invalid.
  const isAnswer = statusCode !== null && !name.startsWith("Socket")
  return new ConnectorError(isAnswer ? "invalid-answer" : "unreachable", statusCode, { cause: error })
}

function unavailable(cause?: unknown): ApiError {
  return new ApiError(
    "service-unavailable",
    "The app's connector to the card networks does not respond. Try again shortly.",
    { headers: { "retry-after": "15" }, ...(cause !== undefined && { cause }) },
  )
}
