import type { Readable } from "node:stream"
import type { RawHeaders } from "@sealway/kernel"
import type { Destination, NamedClientCertificate, ProxyMode } from "@sealway/relay"
import type { RelayError } from "@sealway/relay-engine"
import type { HeldBody } from "./held-body.ts"

/** A body: a buffer when it is small and complete, otherwise a stream, null when there is none. */
export type Body = Buffer | Readable | null

/** The identity that the forward-proxy client authenticated as, on CONNECT. */
export interface ProxyCredentials {
  readonly appId: string
  readonly apiKeyId: string
  readonly scopes: readonly string[]
}

/** A request, framed and bounded by the edge that received it: the Node.js server, or a Lambda. */
export interface InboundRequest {
  readonly id: string
  readonly mode: ProxyMode
  /** Upper case. */
  readonly method: string
  /** Path and query, byte for byte as received (origin form). Routes match the same bytes. */
  readonly target: string
  /** How the client reached the relay: with TLS, or without. */
  readonly scheme: Destination["scheme"]
  /** The requested host, in lower case, without port. */
  readonly host: string
  /** Null: the scheme's default. */
  readonly port: number | null
  readonly rawHeaders: RawHeaders
  readonly body: Body
  /** The declared size; null for chunked bodies and for none. */
  readonly contentLength: number | null
  /**
   * Why the edge refuses the request. It then has no body, and is only processed until its relay is known, which
   * reports the refusal and answers with it.
   */
  readonly refusal: RelayError | null
  /** Read it when the body has ended. */
  readonly trailers: () => RawHeaders
  /** The client's address. No header of the client can change it. */
  readonly ip: string
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** The credentials of the CONNECT that this request came through; null otherwise. */
  readonly credentials: ProxyCredentials | null
  /** Called for 1xx answers of the destination, before the final one. */
  readonly onInformation?: (status: number, rawHeaders: RawHeaders) => void
}

export interface OutboundReply {
  readonly status: number
  /** Null: the standard one. */
  readonly statusMessage: string | null
  readonly rawHeaders: RawHeaders
  readonly body: Body
  /** Read it when the body has ended. */
  readonly trailers: () => RawHeaders
  /**
   * Call it, once or more, when the body is no longer held: the client has read it, or has left. Until then it counts
   * as memory of the process. Streamed bodies track this themselves.
   */
  readonly release?: () => void
}

/** Answers a request; a refusal is an answer too. Never rejects. */
export type RelayHandler = (request: InboundRequest) => Promise<OutboundReply>

export interface UpstreamRequest {
  /** The app. No two apps share a connection: leftovers of one app on it must not become the answer to another. */
  readonly appId: string
  readonly destination: Destination
  readonly clientCertificate: NamedClientCertificate | null
  readonly method: string
  readonly target: string
  /** Without hop-by-hop headers and framing; with `Host`. */
  readonly rawHeaders: RawHeaders
  readonly body: Body | HeldBody
  /** The size of a streamed body if known; null: chunked. */
  readonly contentLength: number | null
  readonly signal: AbortSignal
  readonly onInformation?: InboundRequest["onInformation"] | undefined
  /** Called once, when the upstream has nothing of the request any more: later than its failure, if it waited for a connection. */
  readonly onReleased: () => void
}

export interface UpstreamReply {
  readonly status: number
  readonly statusMessage: string
  readonly rawHeaders: RawHeaders
  /** Null for answers without one: to HEAD, 204, 304. */
  readonly body: Readable | Buffer | null
  readonly trailers: () => RawHeaders
}

/** Sends requests to destinations. */
export interface Upstream {
  /**
   * @throws RelayError `request-timeout`, `service-unavailable` (refused, or unknown name), `proxy-error`, or
   * `forbidden` (an address that is not allowed)
   */
  send(request: UpstreamRequest): Promise<UpstreamReply>
  close(): Promise<void>
}
