import type { Socket } from "node:net"
import { KnownSender } from "@sealway/http"
import {
  createEdgeServer,
  DEFAULT_MEMORY_BYTES,
  Deadlines,
  type MemoryBudget,
  memoryBudgetOf,
} from "@sealway/http/ingress"
import type { Log } from "@sealway/ports"
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda"
import { urlOf } from "../addresses/host-address.ts"
import type { CorsConfiguration } from "./cors.ts"
import type { Caller } from "./exchange.ts"
import type { ForwardTarget } from "./forwarding.ts"
import type { GatewayLimits } from "./limits.ts"
import { Load } from "./load.ts"
import { problemMessage, type Refusal } from "./problems.ts"
import { readProxyResult } from "./proxy-result.ts"
import { type GatewayRefusal, RequestServer } from "./request-server.ts"
import type { GatewayRoute } from "./route.ts"
import { compileRoutes } from "./route-table.ts"
import { createHostCheck } from "./served-hosts.ts"
import type { StorageEndpoint } from "./storage-pass.ts"

export interface GatewayOptions {
  readonly routes: readonly GatewayRoute[]
  /** Answers a request without a route, by its path: what an HTTP API passes to its route `$default`. Null: `forwardTarget` does. */
  readonly answerUnknown: ((path: string) => APIGatewayProxyStructuredResultV2) | null
  /** Answers the requests that have no handler here. Default: null, for a gateway whose routes all have one. */
  readonly forwardTarget?: ForwardTarget | null
  readonly limits: GatewayLimits
  /** The memory that its requests share with others of this process. Default: new, of the default size. */
  readonly memory?: MemoryBudget
  /** What presigned URLs lead to. Default: null, nothing. */
  readonly storage?: StorageEndpoint | null
  /** Null leaves CORS to the handlers. */
  readonly cors: CorsConfiguration | null
  /** Names of the service besides its address and its loopback names; see `HostNames`. Default: none. */
  readonly allowedHosts?: readonly string[]
  /** Called with what handlers throw or answer wrongly, and for those that take too long. Must not throw. */
  readonly onError: (error: unknown, functionName: string) => void
  /** Called with each request that it refuses itself. Must not throw. Default: nothing. */
  readonly onRefusal?: (refusal: GatewayRefusal) => void
}

export interface GatewayAddress {
  readonly port: number
  readonly host: string
}

/** @param sourceIp the caller's address. Default: the one that the socket is connected to */
export type ServeConnection = (socket: Socket, sourceIp?: string) => void

export interface Gateway {
  /** Port 0 picks a free one. Rejects with the error of `node:net` when the port is not available. */
  listen(options: GatewayAddress): Promise<{ port: number; url: string }>
  /**
   * Returns a function that serves connections which were accepted elsewhere.
   *
   * @param address where callers reach this gateway
   */
  serveAt(address: GatewayAddress): ServeConnection
  /** Ends each of its connections after the next answer on it, so that its client connects again. */
  releaseConnections(): void
  /** The requests in flight. */
  readonly load: Pick<Load, "requests">
  readonly memory: Pick<MemoryBudget, "bytes" | "waiting">
  /** Accepts no further requests, waits up to `drainTimeoutMs` for those in flight, and drops the rest. */
  close(): Promise<void>
}

/**
 * Creates a local stand-in for an Amazon API Gateway HTTP API in front of Lambda functions, with payload format 2.0.
 * Its own refusals are problem documents, as for all errors of this product.
 *
 * It differs from an HTTP API in this: its own refusals also have CORS headers, so that browsers can read them; it adds
 * no `x-amzn-trace-id` and no `x-forwarded-*` headers.
 *
 * @throws TypeError when two routes match the same requests, or a path is not in API Gateway's syntax
 */
export function createGateway({
  routes,
  answerUnknown,
  limits,
  memory = memoryBudgetOf(DEFAULT_MEMORY_BYTES),
  storage = null,
  forwardTarget = null,
  cors,
  allowedHosts = [],
  onError,
  onRefusal = () => undefined,
}: GatewayOptions): Gateway {
  const load = new Load(limits)
  const stalls = new Deadlines(limits.stallTimeoutMs)
  /** Its port is known once it listens. */
  let isServedHost = (_host: string) => false
  const requests = new RequestServer({
    table: compileRoutes(routes),
    limits,
    load,
    memory,
    stalls,
    cors,
    storage,
    forwardTarget,
    onError,
    onRefusal,
    answerUnknown:
      answerUnknown &&
      ((path) => {
        const answer = readProxyResult(answerUnknown(path), limits.maxResponseBytes)
        return { ...answer, refusal: answer.statusCode === 405 ? "method-not-allowed" : "not-found" }
      }),
    isServedHost: (host) => isServedHost(host),
  })
  const server = createEdgeServer<Caller, Refusal>({
    limits: { ...limits, maxClients: limits.maxConnections },
    stalls,
    // Answers keep their order, whichever handler finishes first.
    maxParallel: Number.POSITIVE_INFINITY,
    maxWaiting: 0,
    contextOf: (sourceIp) => ({ sourceIp, sender: new KnownSender() }),
    receive: (received) => requests.serve(received),
    messageOf: (refusal) => problemMessage(refusal),
    parserProblem: ({ code }) => PARSER_PROBLEMS.get(code) ?? "malformed",
    onConnect: ({ connection }) => connection.refuse("malformed"),
    tooManyClients: "overloaded",
  })

  return {
    load,
    memory,

    async listen({ port, host }) {
      const { port: actualPort, url } = await server.listen({ port, host })
      isServedHost = createHostCheck({ port: actualPort, host: new URL(url).hostname, allowedHosts })
      return { port: actualPort, url }
    },

    serveAt({ port, host }) {
      isServedHost = createHostCheck({ port, host: new URL(urlOf(host, port)).hostname, allowedHosts })
      return (socket, sourceIp) => server.serve(socket, sourceIp)
    },

    releaseConnections: () => server.releaseConnections(),

    async close() {
      await server.close()
      requests.close()
    },
  }
}

const PARSER_PROBLEMS: ReadonlyMap<string | undefined, Refusal> = new Map([
  ["HPE_HEADER_OVERFLOW", "head-too-large"],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", "too-large"],
  ["ERR_HTTP_REQUEST_TIMEOUT", "stalled"],
])

/** Returns where a gateway reports failed handlers and refused requests: a log. */
export function logTo({
  error,
  info,
}: Pick<Log, "error" | "info">): Pick<GatewayOptions, "onError" | "onRefusal"> {
  return {
    onError: (failure, endpoint) => error("handler failed", { endpoint, error: failure }),
    onRefusal: (refusal) => info("request refused", { ...refusal }),
  }
}
