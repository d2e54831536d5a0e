import { lookup as dnsLookup } from "node:dns"
import type { IncomingHttpHeaders } from "node:http"
import type { LookupFunction } from "node:net"
import { checkDestinationUrl, type DestinationRules } from "@sealway/kernel"
import { Agent, type Dispatcher } from "undici"
import { EgressError, toEgressError } from "./egress-error.ts"
import { createGuardedConnector } from "./guarded-connector.ts"

export interface EgressOptions extends DestinationRules {
  /** Default: the system's resolver. */
  readonly lookup?: LookupFunction
  /** Covers name resolution, TCP and TLS. Default: 5,000. */
  readonly connectTimeoutMs?: number
  /** Covers one whole request, from the first look-up to the end of the answer. Default: 15,000. */
  readonly totalTimeoutMs?: number
}

export interface PostRequest {
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** A destination's answer. Its body is read, up to `MAX_ANSWER_BYTES`, and discarded. */
export interface PostAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: IncomingHttpHeaders
}

/** Sends requests to destinations that customers name. */
export interface Egress {
  /**
   * Posts once, without following redirects or retrying.
   *
   * @throws EgressError, and nothing else, when no complete answer arrived
   */
  post(request: PostRequest): Promise<PostAnswer>
  /** For streaming users: connects only to allowed addresses. URLs, timeouts and sizes are up to the user. */
  readonly dispatcher: Dispatcher
  /** Lets requests in flight finish, then closes connections. */
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 5_000
const TOTAL_TIMEOUT_MS = 15_000

/** How much of an answer's body is read. A longer one is cut off and still counts as an answer. */
export const MAX_ANSWER_BYTES = 64 * 1024

/** Creates the egress. Call it once, where a process starts: it keeps connections open for reuse. */
export function createEgress(options: EgressOptions): Egress {
  const {
    allowPrivate,
    lookup = dnsLookup,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    totalTimeoutMs = TOTAL_TIMEOUT_MS,
  } = options
  const dispatcher = new Agent({
    connect: createGuardedConnector({ allowPrivate, lookup, connectTimeoutMs }),
    headersTimeout: totalTimeoutMs,
    bodyTimeout: totalTimeoutMs,
  })
  return {
    dispatcher,
    async post({ url: text, headers, body }) {
      const destination = checkDestinationUrl(text, { allowPrivate })
      if (!destination.admitted) throw new EgressError("destination-refused")
      const { origin, pathname, search } = destination.url
      try {
        const answer = await dispatcher.request({
          origin,
          path: pathname + search,
          method: "POST",
          headers,
          body,
          signal: AbortSignal.timeout(totalTimeoutMs),
        })
        await drain(answer.body)
        return { status: answer.statusCode, headers: answer.headers }
      } catch (error) {
        throw toEgressError(error)
      }
    },
    close: () => dispatcher.close(),
  }
}

/** Reads a body to its end, so that the connection can be reused, or up to the limit. */
async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) return
  }
}
