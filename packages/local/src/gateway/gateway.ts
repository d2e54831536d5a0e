import {
  createEdgeServer,
  DEFAULT_MEMORY_BYTES,
  Deadlines,
  type MemoryBudget,
  memoryBudgetOf,
} from "@sealway/platform/ingress"
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda"
import type { CorsConfiguration } from "./cors.ts"
import type { GatewayLimits } from "./limits.ts"
import { Load } from "./load.ts"
import { problemMessage, type Refusal } from "./problems.ts"
import { readProxyResult } from "./proxy-result.ts"
import { type GatewayRefusal, RequestServer } from "./request-server.ts"
import type { Route } from "./route.ts"
import { compileRoutes } from "./route-table.ts"
import { createHostCheck } from "./served-hosts.ts"
import type { StorageEndpoint } from "./storage-pass.ts"

export interface GatewayOptions {
  readonly routes: readonly Route[]
  /** Answers a request without a route, by its path: what an HTTP API passes to its route `$default`. */
  readonly answerUnknown: (path: string) => APIGatewayProxyStructuredResultV2
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

export interface Gateway {
  /** Port 0 picks a free one. Rejects with the error of `node:net` when the port is not available. */
  listen(options: { readonly port: number; readonly host: string }): Promise<{ port: number; url: string }>
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
    onError,
    onRefusal,
    answerUnknown: (path) => {
      const answer = readProxyResult(answerUnknown(path), limits.maxResponseBytes)
      return { ...answer, refusal: answer.statusCode === 405 ? "method-not-allowed" : "not-found" }
    },
    isServedHost: (host) => isServedHost(host),
  })
  const server = createEdgeServer<{ sourceIp: string }, Refusal>({
    limits: { ...limits, maxClients: limits.maxConnections },
    stalls,
    // Answers keep their order, whichever handler finishes first.
    maxParallel: Number.POSITIVE_INFINITY,
    maxWaiting: 0,
    contextOf: (sourceIp) => ({ sourceIp }),
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
