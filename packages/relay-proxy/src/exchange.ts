import type { Readable } from "node:stream"
import type { RawHeaders } from "@sealway/kernel"
import type { Destination, NamedClientCertificate, ProxyMode } from "@sealway/relay"
import type { RelayError } from "@sealway/relay-engine"

/** A body: all of it where it is small and there already, a stream otherwise, null where there is none. */
export type Body = Buffer | Readable | null

/** Whom a forward proxy's client has shown to be, on CONNECT. */
export interface ProxyCredentials {
  readonly appId: string
  readonly apiKeyId: string
  readonly scopes: readonly string[]
}

/** A request, framed and bounded by the edge that took it: the Node.js server, or a Lambda. */
export interface InboundRequest {
  readonly id: string
  readonly mode: ProxyMode
  /** Upper case. */
  readonly method: string
  /** Path and query, byte for byte as they came (origin form). Routes are matched on the same bytes. */
  readonly target: string
  /** Lower case, without port: whom the request is for. */
  readonly host: string
  /** Null: the scheme's own. */
  readonly port: number | null
  readonly rawHeaders: RawHeaders
  readonly body: Body
  /** Its declared size, null for chunked and for none. */
  readonly contentLength: number | null
  /**
   * Why the edge does not take the request. It has no body then, and goes no further than to where it is known whose it
   * is: the relay tells of the refusal, and answers with it.
   */
  readonly refusal: RelayError | null
  /** To be read when the body has ended. */
  readonly trailers: () => RawHeaders
  /** The client's address, which no header of the client's has a say in. */
  readonly ip: string
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
  /** Of the CONNECT that this came by; null otherwise. */
  readonly credentials: ProxyCredentials | null
  /** For 1xx answers of the destination, before the answer itself. */
  readonly onInformation?: (status: number, rawHeaders: RawHeaders) => void
}

export interface OutboundReply {
  readonly status: number
  /** Null: the usual one. */
  readonly statusMessage: string | null
  readonly rawHeaders: RawHeaders
  readonly body: Body
  /** To be read when the body has ended. */
  readonly trailers: () => RawHeaders
  /**
   * To be called, once or more, when nothing of the body is kept any more: its client has taken it off, or has left.
   * Until then it counts as memory of the process. Bodies that are streams say so by themselves.
   */
  readonly release?: () => void
}

/** Answers a request; a refusal is an answer too. Never rejects. */
export type RelayHandler = (request: InboundRequest) => Promise<OutboundReply>

export interface UpstreamRequest {
  /** Whose it is. No two apps share a connection: what one leaves behind on it must not become the other's answer. */
  readonly appId: string
  readonly destination: Destination
  readonly clientCertificate: NamedClientCertificate | null
  readonly method: string
  readonly target: string
  /** Without hop-by-hop headers and framing; with `Host`. */
  readonly rawHeaders: RawHeaders
  readonly body: Body
  /** The size of a streamed body where it is known; null: chunked. */
  readonly contentLength: number | null
  readonly signal: AbortSignal
  readonly onInformation?: (status: number, rawHeaders: RawHeaders) => void
}

export interface UpstreamReply {
  readonly status: number
  readonly statusMessage: string
  readonly rawHeaders: RawHeaders
  /** Null for answers that have none: to HEAD, 204, 304. */
  readonly body: Readable | Buffer | null
  readonly trailers: () => RawHeaders
}

/** The way to destinations. */
export interface Upstream {
  /**
   * @throws RelayError `request-timeout`, `service-unavailable` (refused, or no such name), `proxy-error`, or
   * `forbidden` (an address that is not admitted)
   */
  send(request: UpstreamRequest): Promise<UpstreamReply>
  close(): Promise<void>
}
