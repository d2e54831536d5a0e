import middy, { type MiddlewareObj } from "@middy/core"
import { ApiError, PROBLEMS, readTraceContext, type TraceContext } from "@sealway/kernel"
import type { Context } from "aws-lambda"
import type { ApiKeyUses } from "../accounts/api-key-use-table.ts"
import type { Caller } from "../accounts/caller.ts"
import type { HttpEvent, HttpResult } from "../http-event.ts"
import { type Effect, type Idempotency, UNTRACKED_EFFECT } from "../once/idempotency.ts"
import type { OnceRequest } from "../once/once-request.ts"
import type { Hosting } from "../stage/configuration.ts"
import type { Log } from "../stage/logger.ts"
import type { Stats } from "../stats/stats.ts"
import { authorize, type Identity, type IdentityServices, identify } from "./authentication.ts"
import { callerAddress } from "./caller-address.ts"
import type { BodyDeclaration, Document, Endpoint, EndpointRequest } from "./endpoint.ts"
import { parseRequestPart, problemResponse, toApiError } from "./problems.ts"
import { type AcceptedBody, acceptBody, readDocument, readForm, readParameters } from "./read-body.ts"
import { RequestTiming } from "./request-timing.ts"
import { serviceOriginOf } from "./service-origin.ts"
import { cookiesOf, identifyMember, withoutPasswordPrompt } from "./session-authentication.ts"
import { writeReply } from "./write-reply.ts"

/** What every handler needs. */
export interface HandlerPlatform extends IdentityServices {
  readonly apiKeyUses: ApiKeyUses
  readonly idempotency: Idempotency
  readonly hosting: Hosting
  /** See `Configuration`. */
  readonly apiOrigin: string | null
  /** See `Configuration`. */
  readonly dashboardApiUrl: string | null
  /** See `Configuration`. */
  readonly dashboardOriginSecret: string | null
  readonly log: Log
  readonly stats: Pick<Stats, "count" | "countStranger" | "settle">
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
}

export type LambdaHandler = (event: HttpEvent, context: Context) => Promise<HttpResult>

/** One request on its way through the middlewares. Each fills in what the next ones need. */
interface Exchange {
  readonly event: HttpEvent
  readonly timing: RequestTiming
  acceptedBody: AcceptedBody | null
  identity: Identity<unknown> | null
  /** The pending write that notes the use of the caller's key. */
  useNoted: Promise<void> | null
  body: Document | object | null
  path: unknown
  query: unknown
  headers: object
}

/**
 * middy would race every request against a timer. The timeouts of the AWS clients already bound all waiting, and a
 * timer cannot stop computation.
 */
const NO_TIMER = { timeoutEarlyInMillis: 0 }

type ExchangeMiddleware = MiddlewareObj<Exchange, HttpResult>

/**
 * Creates the Lambda handler of an endpoint, for API Gateway's payload format 2.0. The order is the defence: the
 * cheapest refusals come first, and no body is decoded before its sender is known.
 */
export function createHandler<Dependencies>(
  endpoint: Endpoint<Dependencies>,
  dependencies: Dependencies,
  platform: HandlerPlatform,
): LambdaHandler {
  const pipeline = middy<Exchange, HttpResult>(NO_TIMER)
    .use(noteKeyUse())
    .use(countRequest(endpoint, platform))
    .use(tellTiming())
    .use(answerProblems(endpoint, platform.log))
    .use(reportForbidden(endpoint, dependencies, platform))
    .use(limitBody(endpoint, platform.hosting))
    .use(identifyCaller(endpoint, platform))
    .use(readRequest(endpoint))
    .handler((exchange) => {
      const { event, identity, path, query, headers, body } = exchange
      const serviceOrigin = platform.apiOrigin ?? serviceOriginOf(event.headers)
      const request: EndpointRequest<unknown, unknown, unknown, object, Document | object | null> = {
        principal: identity?.principal ?? null,
        caller: callerOf(exchange, platform),
        path,
        query,
        headers,
        body,
        serviceOrigin,
        browserUrl: platform.dashboardApiUrl ?? serviceOrigin,
        cookies: cookiesOf(event),
        timing: exchange.timing,
      }
      const answer = async (effect: Effect, once: OnceRequest | null) => {
        const given = once === null ? dependencies : { ...dependencies, ...once.effects }
        const form = { hosting: platform.hosting, isInBytes: event.bodyBytes !== undefined }
        return writeReply(endpoint.status, await endpoint.answer(request, given, effect), form)
      }
      if (!endpoint.writes || identity === null) return answer(UNTRACKED_EFFECT, null)
      return platform.idempotency.run(event, identity.secret, answer, {
        teamId: identity.teamId,
        isOnce: endpoint.writes === "once",
        headers,
        ...(endpoint.unkept && { unkept: endpoint.unkept }),
        authorizeReplay: async () => endpoint.authorizeReplay?.(request, dependencies),
      })
    })
  return (event, context) =>
    pipeline(
      {
        event,
        timing: new RequestTiming(platform.now),
        acceptedBody: null,
        identity: null,
        useNoted: null,
        body: null,
        path: null,
        query: null,
        headers: {},
      },
      context,
    )
}

function traceOf({ headers }: HttpEvent): TraceContext | null {
  return readTraceContext(headers.traceparent, headers.tracestate)
}

function callerOf({ event, identity }: Exchange, { dashboardOriginSecret }: HandlerPlatform): Caller {
  return {
    actor: identity?.actor ?? null,
    ip: callerAddress(event, dashboardOriginSecret),
    requestId: event.requestContext.requestId,
    trace: traceOf(event),
  }
}

function answerProblems<Dependencies>(endpoint: Endpoint<Dependencies>, log: Log): ExchangeMiddleware {
  return {
    onError(exchange) {
      const error = withoutPasswordPrompt(toApiError(exchange.error), exchange.event.event)
      const response = problemResponse(error)
      const trace = traceOf(exchange.event.event)
      const fields = {
        requestId: exchange.event.event.requestContext.requestId,
        ...(trace && { traceId: trace.traceId }),
        endpoint: endpoint.id,
        code: error.code,
        status: response.statusCode ?? 500,
      }
      if (fields.status >= 500) log.error("request failed", { ...fields, error: error.cause })
      else log.info("request refused", fields)
      exchange.response = response
    },
  }
}

/** Reports a 403 before replying; if that fails, replies with that error. */
function reportForbidden<Dependencies>(
  endpoint: Endpoint<Dependencies>,
  dependencies: Dependencies,
  platform: HandlerPlatform,
): ExchangeMiddleware {
  return {
    async onError(exchange) {
      const { event, error } = exchange
      const isForbidden = error instanceof ApiError && PROBLEMS[error.code].api === 403
      if (!isForbidden || event.identity === null) return
      const { principal } = event.identity
      const request = { principal, caller: callerOf(event, platform), endpointId: endpoint.id }
      try {
        await endpoint.onForbidden?.(request, error, dependencies)
      } catch (reportError) {
        exchange.error = reportError instanceof Error ? reportError : new Error("", { cause: reportError })
      }
    },
  }
}

function limitBody<Dependencies>(endpoint: Endpoint<Dependencies>, hosting: Hosting): ExchangeMiddleware {
  return {
    before({ event: exchange }) {
      exchange.acceptedBody = acceptBody(exchange.event, endpoint.request.body, hosting)
    },
  }
}

function identifyCaller<Dependencies>(
  endpoint: Endpoint<Dependencies>,
  platform: HandlerPlatform,
): ExchangeMiddleware {
  return {
    async before({ event: exchange }) {
      if (endpoint.auth.length === 0) return
      const { event, timing } = exchange
      const member = await timing.measure("authentication", () =>
        identifyMember(endpoint.auth, event, platform),
      )
      if (member !== null) {
        exchange.identity = member.identity
        member.authorize()
        return
      }
      const identified = await timing.measure("authentication", () =>
        identify(endpoint.auth, event.headers, platform),
      )
      exchange.identity = identified.identity
      const { apiKey } = identified.identity
      exchange.useNoted =
        apiKey &&
        platform.apiKeyUses
          .note(apiKey)
          .catch((error) =>
            platform.log.warn("could not record the use of a key", { endpoint: endpoint.id, error }),
          )
      authorize(identified)
    },
  }
}

/** Outermost, because the note is written in parallel with the work, and a Lambda that has answered may be frozen. */
function noteKeyUse(): ExchangeMiddleware {
  const settle = async ({ event: exchange }: { readonly event: Exchange }) => {
    await exchange.useNoted
  }
  return { after: settle, onError: settle }
}

/**
 * Counts the request for its app, if its sender is known. A Lambda that has answered may be frozen, so it waits for a
 * write that is due: once in 10 seconds, when the caches are read again too.
 */
function countRequest<Dependencies>(
  { id }: Endpoint<Dependencies>,
  { stats, now }: HandlerPlatform,
): ExchangeMiddleware {
  const count = ({ identity, timing: { startedMs } }: Exchange, error: ApiError | null) => {
    const appId = appIdOf(identity?.principal)
    const isRefused = error !== null && PROBLEMS[error.code].api < 500
    const change = {
      requests: 1,
      ...(error !== null && (isRefused ? { refusals: 1 } : { errors: 1 })),
      tookMs: { api: now() - startedMs },
    }
    const groups = { endpoint: id, ...(error !== null && { code: error.code }) }
    if (appId === null) {
      stats.countStranger(change, groups)
      return null
    }
    stats.count(appId, change, groups)
    return stats.settle()
  }
  return {
    async after({ event: exchange }) {
      await count(exchange, null)
    },
    async onError({ event: exchange, error }) {
      await count(exchange, toApiError(error))
    },
  }
}

/** Tells a sender who may see it how long a request took that was not refused: how far a refused one got stays unknown. */
function tellTiming(): ExchangeMiddleware {
  return {
    after(exchange) {
      const header = exchange.event.timing.headerFor(exchange.event.identity)
      if (header === null || !exchange.response) return
      const { response } = exchange
      exchange.response = { ...response, headers: { ...response.headers, "server-timing": header } }
    },
  }
}

/** Returns the app that a request acts as; null when it acts as none. */
function appIdOf(principal: unknown): string | null {
  if (typeof principal !== "object" || principal === null || !("app" in principal)) return null
  const { app } = principal
  return typeof app === "object" && app !== null && "id" in app && typeof app.id === "string" ? app.id : null
}

function readRequest<Dependencies>(endpoint: Endpoint<Dependencies>): ExchangeMiddleware {
  const { path, query, headers, body } = endpoint.request
  return {
    async before({ event: exchange }) {
      exchange.path = parseRequestPart(path, exchange.event.pathParameters ?? {}, "/path")
      if (query !== undefined) {
        exchange.query = parseRequestPart(query, exchange.event.queryStringParameters ?? {}, "/query")
      }
      exchange.headers = parseRequestPart(headers, exchange.event.headers, "/headers")
      if (exchange.acceptedBody === null) return
      exchange.body = await readBody(body, exchange.acceptedBody)
    },
  }
}

async function readBody(declared: BodyDeclaration, accepted: AcceptedBody): Promise<Document | object> {
  switch (declared.kind) {
    case "object":
      return parseRequestPart(declared.schema, await readParameters(accepted), "")
    case "form":
      return parseRequestPart(declared.schema, await readForm(accepted), "")
    default:
      return readDocument(accepted)
  }
}
