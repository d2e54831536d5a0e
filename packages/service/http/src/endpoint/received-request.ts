import type { Allowance, Caller } from "@sealway/accounts"
import { type RequestTask, readTraceContext, type Task, type TraceContext } from "@sealway/kernel"
import type { HttpEvent } from "../http-event.ts"
import type { Identity } from "./authentication.ts"
import { callerAddress } from "./caller-address.ts"
import type { Document, EndpointRequest } from "./endpoint.ts"
import type { RequestTiming } from "./request-timing.ts"
import type { KnownSender } from "./sent-key.ts"
import { serviceOriginOf } from "./service-origin.ts"
import { cookiesOf } from "./session-authentication.ts"

/** One request, and what is known about it so far. */
export interface Exchange {
  readonly event: HttpEvent
  readonly timing: RequestTiming
  readonly task: RequestTask
  /** Null when the host does not tell connections apart. */
  readonly sender: KnownSender | null
  identity: Identity<unknown> | null
  allowance: Allowance
  /** The pending write that notes the use of the caller's key. */
  useNoted: Promise<void> | null
}

type AnyRequest = EndpointRequest<unknown, unknown, unknown, object, Document | object | null>

/** The parts of a request that schemas declare, parsed. */
export type RequestParts = Pick<AnyRequest, "path" | "query" | "headers" | "body">

/** How a deployment is reached. See `Configuration`. */
export interface Entrances {
  readonly apiOrigin: string | null
  readonly dashboardApiUrl: string | null
  readonly dashboardOriginHash: string | null
}

/** What an endpoint's function receives. Few of them ask for an origin, which takes longer to parse than all headers. */
export class ReceivedRequest implements AnyRequest {
  readonly principal: unknown
  readonly caller: Caller
  readonly path: unknown
  readonly query: unknown
  readonly headers: object
  readonly body: Document | object | null
  readonly cookies: readonly string[]
  readonly timing: RequestTiming
  readonly allowance: Allowance
  readonly task: Task
  readonly #event: HttpEvent
  readonly #entrances: Entrances

  constructor(parts: RequestParts, exchange: Exchange, entrances: Entrances) {
    this.principal = exchange.identity?.principal ?? null
    this.caller = callerOf(exchange, entrances)
    this.path = parts.path
    this.query = parts.query
    this.headers = parts.headers
    this.body = parts.body
    this.cookies = cookiesOf(exchange.event)
    this.timing = exchange.timing
    this.allowance = exchange.allowance
    this.task = exchange.task
    this.#event = exchange.event
    this.#entrances = entrances
  }

  get serviceOrigin(): string {
    return this.#entrances.apiOrigin ?? serviceOriginOf(this.#event.headers)
  }

  get browserUrl(): string {
    return this.#entrances.dashboardApiUrl ?? this.serviceOrigin
  }
}

export function callerOf({ event, identity }: Exchange, { dashboardOriginHash }: Entrances): Caller {
  return {
    actor: identity?.actor ?? null,
    ip: callerAddress(event, dashboardOriginHash),
    requestId: event.requestContext.requestId,
    trace: traceOf(event),
  }
}

export function traceOf({ headers }: HttpEvent): TraceContext | null {
  return readTraceContext(headers.traceparent, headers.tracestate)
}
