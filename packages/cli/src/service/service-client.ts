import { randomUUID } from "node:crypto"
import { CredentialsFailure, ServiceRefusal, UnavailableFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import { discardBody, type HttpAnswer, type HttpRequest } from "../terminal/send-request.ts"
import { readProblem } from "./read-problem.ts"
import { retryAfterMs, retryDelayMs } from "./retry-delay.ts"
import type { ServiceUrl } from "./service-address.ts"
import { isWorthRetrying, unreachable } from "./unreachable.ts"

/** A call to the service. */
export interface Call {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE"
  /** The path, one segment each, not encoded. */
  readonly path: readonly string[]
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly contentType: string; readonly bytes: Uint8Array<ArrayBuffer> }
  /** Default: true for anything but GET. False: the call changes nothing, so it may be repeated. */
  readonly writes?: boolean
}

export interface Credentials {
  /** App id; null: the key alone identifies the app. */
  readonly app: string | null
  readonly key: string
}

export interface ServiceClient {
  /**
   * Resolves to a successful answer. Retries, after the time that the service asks for, when it was too busy; a write
   * has an `Idempotency-Key`, so that it happens once however often it is sent.
   *
   * @throws ServiceRefusal with the service's problem
   * @throws UnavailableFailure when there is no answer
   */
  send(call: Call): Promise<HttpAnswer>
}

const ATTEMPTS = 4
const VISIBLE_ASCII = /^[\x21-\x7e]+$/

/** @param timeoutMs how long one attempt may take, from the first byte sent to the last received */
export function createServiceClient(
  host: CliHost,
  url: ServiceUrl,
  credentials: Credentials,
  timeoutMs: number,
): ServiceClient {
  const authorization = authorizationOf(credentials)
  return {
    async send(call) {
      const { method, body, writes = method !== "GET" } = call
      const request: Omit<HttpRequest, "signal"> = {
        method,
        headers: {
          accept: "application/json, application/problem+json, */*",
          "user-agent": "sealway-cli",
          ...authorization,
          ...(body && { "content-type": body.contentType }),
          ...(writes && { "idempotency-key": randomUUID() }),
          ...call.headers,
        },
        ...(body && { body: body.bytes }),
      }
      const address = addressOf(url, call)
      for (let attempt = 1; ; attempt++) {
        const outcome = await attemptOnce(host, address, request, timeoutMs)
        if ("error" in outcome) {
          host.signal.throwIfAborted()
          const { error } = outcome
          if (attempt >= 2 || !isWorthRetrying(error)) throw unreachable(url, error, timeoutMs)
        } else {
          if (outcome.status >= 200 && outcome.status < 300) return outcome
          const delayMs = attempt < ATTEMPTS ? retryDelayMs(outcome, attempt, host.wallClock()) : null
          if (delayMs === null) throw await refusalOf(outcome, host.wallClock())
          await discardBody(outcome)
          await host.sleep(delayMs, host.signal)
        }
      }
    },
  }
}

/** Returns an answer, or the error that came instead. */
async function attemptOnce(
  { fetch, signal }: CliHost,
  address: string,
  request: Omit<HttpRequest, "signal">,
  timeoutMs: number,
): Promise<HttpAnswer | { readonly error: unknown }> {
  try {
    return await fetch(address, {
      ...request,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
  } catch (error) {
    return { error }
  }
}

async function refusalOf(response: HttpAnswer, nowMs: number): Promise<ServiceRefusal | UnavailableFailure> {
  if (response.status >= 300 && response.status < 400) {
    return new UnavailableFailure(
      "The service redirects. Redirects are not followed because they would pass on the key. Use the service's final URL.",
    )
  }
  return new ServiceRefusal(await readProblem(response), retryAfterMs(response, nowMs))
}

/** With the app's id as user name a key of another app is refused, instead of used by mistake. */
function authorizationOf({ app, key }: Credentials): Record<string, string> {
  if (!VISIBLE_ASCII.test(key)) {
    throw new CredentialsFailure("The key contains invalid characters. Did you paste something else?")
  }
  if (app === null) return { "api-key": key }
  return { authorization: `Basic ${Buffer.from(`${app}:${key}`).toString("base64")}` }
}

function addressOf(url: ServiceUrl, { path, query = {} }: Call): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value)
  const search = parameters.size > 0 ? `?${parameters}` : ""
  return `${url}/${path.map(encodeSegment).join("/")}${search}`
}

/** A dot segment cannot be encoded: it would be resolved, and the call would reach a different path. */
function encodeSegment(segment: string): string {
  if (segment === "" || segment === "." || segment === "..") {
    throw new ServiceRefusal({
      code: "not-found",
      title: "Not Found",
      detail: "Nothing has that name.",
      status: 404,
    })
  }
  return encodeURIComponent(segment)
}
