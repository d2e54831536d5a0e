import {
  type ApiKeyRecord,
  type ApiKeyUses,
  type LimitedCaller,
  type Limiter,
  UNLIMITED,
} from "@sealway/accounts"
import {
  ApiError,
  andThen,
  CancelledError,
  KB,
  type MaybePromise,
  OverloadedError,
  PROBLEMS,
  processTurns,
  RequestTask,
  type Task,
  type TaskOwner,
} from "@sealway/kernel"
import type { Hosting, Log } from "@sealway/ports"
import type { Stats } from "@sealway/records"
import type { Context } from "aws-lambda"
import type { HttpEvent, HttpResult } from "../http-event.ts"
import { type Effect, type Idempotency, UNTRACKED_EFFECT } from "../once/idempotency.ts"
import type { OnceRequest } from "../once/once-request.ts"
import { authorize, type Identity, type IdentityServices, identify } from "./authentication.ts"
import type { BodyDeclaration, Document, Endpoint, RequestDeclaration } from "./endpoint.ts"
import { parseRequestPart, problemResponse, toApiError } from "./problems.ts"
import { type AcceptedBody, acceptBody, readDocument, readForm, readParameters } from "./read-body.ts"
import { callerOf, type Exchange, ReceivedRequest, type RequestParts, traceOf } from "./received-request.ts"
import { RequestTiming } from "./request-timing.ts"
import type { KnownSender } from "./sent-key.ts"
import { findSentSession, identifyMember, withoutPasswordPrompt } from "./session-authentication.ts"
import { writeReply } from "./write-reply.ts"

/** What every handler needs. */
export interface HandlerPlatform extends IdentityServices {
  readonly apiKeyUses: ApiKeyUses
  readonly limiter: Limiter
  readonly idempotency: Idempotency
  readonly hosting: Hosting
  /** See `Configuration`. */
  readonly apiOrigin: string | null
  /** See `Configuration`. */
  readonly dashboardApiUrl: string | null
  /** See `Configuration`. */
  readonly dashboardOriginHash: string | null
  readonly log: Log
  readonly stats: Pick<Stats, "count" | "countStranger">
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
}

/** The context of an invocation. Without a task, it has its process for itself, and no deadline. */
export type HandlerContext = Context & {
  readonly task?: RequestTask
  /** Who sent the earlier requests of the same connection. */
  readonly sender?: KnownSender
}

export type LambdaHandler = (event: HttpEvent, context: HandlerContext) => Promise<HttpResult>

/** The same in the process of a gateway: without a promise when nothing is waited for, as in most requests. */
export type EndpointHandler = (event: HttpEvent, context: HandlerContext) => MaybePromise<HttpResult>

/** What a listed record takes: as it is stored, parsed, and shown. Most are smaller; an endpoint reserves more for larger ones. */
const LISTED_RECORD_BYTES = 40 * KB

/** What a handler serves, and with what. */
interface Served<Dependencies> {
  readonly endpoint: Endpoint<Dependencies>
  readonly dependencies: Dependencies
  readonly platform: HandlerPlatform
}

/**
 * Creates the handler of an endpoint, for API Gateway's payload format 2.0. It answers every error itself. What a Lambda
 * function needs besides is put around it, see `lambda/` of packages/hosts/api.
 */
export function createHandler<Dependencies>(
  endpoint: Endpoint<Dependencies>,
  dependencies: Dependencies,
  platform: HandlerPlatform,
): EndpointHandler {
  const served = { endpoint, dependencies, platform }
  return (event, context) => {
    const exchange: Exchange = {
      event,
      timing: new RequestTiming(platform.now),
      identity: null,
      allowance: UNLIMITED,
      useNoted: null,
      sender: context.sender ?? null,
      task: context.task ?? new RequestTask({ turns: processTurns }),
    }
    const end = (result: HttpResult, error: ApiError | null = null): MaybePromise<HttpResult> => {
      countRequest(exchange, error, served)
      return exchange.useNoted === null ? result : exchange.useNoted.then(() => result)
    }
    const fail = async (thrown: unknown) => {
      const error = toApiError(await reportForbidden(thrown, exchange, served))
      return end(refuse(error, exchange, served), error)
    }
    let result: MaybePromise<HttpResult>
    try {
      result = answer(exchange, served)
    } catch (thrown) {
      return fail(thrown)
    }
    return result instanceof Promise ? result.then((each) => end(each), fail) : end(result)
  }
}

/**
 * Answers a request that is not refused. The order is the defence: the cheapest refusals come first, and no body is
 * decoded before its sender is known.
 */
function answer<Dependencies>(exchange: Exchange, served: Served<Dependencies>): MaybePromise<HttpResult> {
  const { auth, request } = served.endpoint
  const acceptedBody = acceptBody(exchange.event, request.body, served.platform.hosting)
  const identified =
    auth.length === 0
      ? undefined
      : exchange.timing.measure("authentication", () => identifyCaller(exchange, served))
  return andThen(identified, () =>
    andThen(readParts(exchange, request, acceptedBody), (parts) => {
      const listed = listedBytes(parts.query)
      return listed === 0
        ? execute(parts, exchange, served)
        : andThen(exchange.task.reserveAtMost(listed), () => execute(parts, exchange, served))
    }),
  )
}

/** Returns what the page of a list takes that is asked for. Numbered pages have a `pageSize`. */
function listedBytes(query: unknown): number {
  if (typeof query !== "object" || query === null) return 0
  const records = "limit" in query ? query.limit : "pageSize" in query ? query.pageSize : 0
  return typeof records === "number" ? records * LISTED_RECORD_BYTES : 0
}

function identifyCaller<Dependencies>(
  exchange: Exchange,
  { endpoint, platform }: Served<Dependencies>,
): MaybePromise<void> {
  const { event } = exchange
  const session = findSentSession(endpoint.auth, event, platform)
  if (session !== null) {
    return identifyMember(session, event, endpoint.reveals, platform).then((member) => {
      exchange.identity = member.identity
      exchange.task.owner = ownerOf(member.identity)
      member.authorize()
      // Members are not limited, so that they can revoke a key that uses everything up.
    })
  }
  return andThen(identify(endpoint.auth, event.headers, platform, exchange.sender), (identified) => {
    const { identity } = identified
    exchange.identity = identity
    exchange.task.owner = ownerOf(identity)
    if (identity.apiKey !== null) exchange.useNoted = noteKeyUse(identity.apiKey, platform, endpoint.id)
    exchange.allowance = platform.limiter.admit(limitedCallerOf(identity))
    authorize(identified)
  })
}

function ownerOf({ app, teamId }: Identity<unknown>): TaskOwner {
  return { appId: app?.id ?? teamId, teamId }
}

/** A token counts for its app only: the app's own customers use it, not who holds the key that has issued it. */
function limitedCallerOf({ actor, app, apiKey }: Identity<unknown>): LimitedCaller {
  const isKey = actor.type === "api-key" || actor.type === "team-key"
  return { app, apiKey: isKey ? apiKey : null }
}

/** Never rejects: a missed note is not worth failing a request. Null: there is nothing to write. */
function noteKeyUse(
  apiKey: ApiKeyRecord,
  { apiKeyUses, log }: HandlerPlatform,
  endpoint: string,
): Promise<void> | null {
  const write = apiKeyUses.note(apiKey)
  if (write === null) return null
  return write.catch((error) => log.warn("could not record the use of a key", { endpoint, error }))
}

function readParts(
  { event: { headers, pathParameters, queryStringParameters }, task }: Exchange,
  declared: RequestDeclaration,
  acceptedBody: AcceptedBody | null,
): MaybePromise<RequestParts> {
  const path = declared.path && parseRequestPart(declared.path, pathParameters ?? {}, "/path")
  const query = declared.query && parseRequestPart(declared.query, queryStringParameters ?? {}, "/query")
  const readHeaders = declared.headers ? parseRequestPart(declared.headers, headers, "/headers") : {}
  const body = declared.body && acceptedBody ? readBody(declared.body, acceptedBody, task) : null
  return andThen(body, (body) => ({ path, query, headers: readHeaders, body }))
}

function readBody(
  declared: BodyDeclaration,
  accepted: AcceptedBody,
  task: Task,
): MaybePromise<Document | object> {
  switch (declared.kind) {
    case "object":
      return andThen(readParameters(accepted, task), (value) => parseRequestPart(declared.schema, value, ""))
    case "form":
      return andThen(readForm(accepted, task), (fields) => parseRequestPart(declared.schema, fields, ""))
    default:
      return readDocument(accepted, task)
  }
}

/** Calls the endpoint's function, unless the request repeats another one. */
function execute<Dependencies>(
  parts: RequestParts,
  exchange: Exchange,
  { endpoint, dependencies, platform }: Served<Dependencies>,
): MaybePromise<HttpResult> {
  const { event, identity } = exchange
  const request = new ReceivedRequest(parts, exchange, platform)
  const call = (effect: Effect, once: OnceRequest | null) => {
    const given = once === null ? dependencies : { ...dependencies, ...once.effects }
    const form = {
      hosting: platform.hosting,
      isInBytes: event.bodyBytes !== undefined,
      mayBeStored: endpoint.reveals === "nothing",
    }
    const reply = endpoint.answer(request, given, effect)
    return andThen(reply, (reply) => writeReply(endpoint.status, reply, form))
  }
  if (!endpoint.writes || identity === null) {
    return andThen(call(UNTRACKED_EFFECT, null), (result) => withInsights(result, exchange))
  }
  const once = platform.idempotency.run(event, identity.secret, async (...effects) => call(...effects), {
    teamId: identity.teamId,
    isOnce: endpoint.writes === "once",
    keepsNoRecords: endpoint.writes === "again",
    headers: parts.headers,
    turns: exchange.task,
    ...(endpoint.unkept && { unkept: endpoint.unkept }),
    authorizeReplay: async (maskedAs) =>
      (await endpoint.authorizeReplay?.(request, dependencies, maskedAs)) ?? null,
  })
  return once.then((result) => withInsights(result, exchange))
}

/** Adds the headers that tell the sender where the time went, and what is left of the limits. */
function withInsights(result: HttpResult, { timing, identity, allowance }: Exchange): HttpResult {
  const header = timing.headerFor(identity)
  const limits = allowance.headers()
  if (header === null && limits === null) return result
  result.headers = { ...result.headers, ...limits, ...(header !== null && { "server-timing": header }) }
  return result
}

/** Reports a 403 before replying; if that fails, returns that error instead. */
async function reportForbidden<Dependencies>(
  error: unknown,
  exchange: Exchange,
  { endpoint, dependencies, platform }: Served<Dependencies>,
): Promise<unknown> {
  const { identity } = exchange
  const isForbidden = error instanceof ApiError && PROBLEMS[error.code].api === 403
  if (!isForbidden || identity === null) return error
  try {
    const request = {
      principal: identity.principal,
      caller: callerOf(exchange, platform),
      endpointId: endpoint.id,
    }
    await endpoint.onForbidden?.(request, error, dependencies)
    return error
  } catch (reportError) {
    return reportError
  }
}

/** Logs a refusal, and returns its answer. */
function refuse<Dependencies>(
  error: ApiError,
  { event }: Exchange,
  { endpoint, platform: { log } }: Served<Dependencies>,
): HttpResult {
  const response = problemResponse(withoutPasswordPrompt(error, event))
  const trace = traceOf(event)
  const fields = {
    requestId: event.requestContext.requestId,
    ...(trace && { traceId: trace.traceId }),
    endpoint: endpoint.id,
    code: error.code,
    status: response.statusCode ?? 500,
  }
  if (hasClientLeft(error)) log.info("request cancelled, because its client left", fields)
  else if (fields.status >= 500 && !(error instanceof OverloadedError))
    log.error("request failed", { ...fields, error: error.cause })
  else log.info("request refused", fields)
  return response
}

/** Counts the request for its app, if its sender is known. */
function countRequest<Dependencies>(
  { identity, timing: { startedMs } }: Exchange,
  error: ApiError | null,
  { endpoint, platform: { stats, now } }: Served<Dependencies>,
): void {
  const isRefused =
    error !== null &&
    (PROBLEMS[error.code].api < 500 || error instanceof OverloadedError || hasClientLeft(error))
  const change = {
    requests: 1,
    ...(error !== null && (isRefused ? { refusals: 1 } : { errors: 1 })),
    tookMs: { api: now() - startedMs },
  }
  const groups = { endpoint: endpoint.id, ...(error !== null && { code: error.code }) }
  const app = identity?.app ?? null
  if (app === null) stats.countStranger(change, groups)
  else stats.count(app.id, change, groups)
}

function hasClientLeft(error: ApiError): boolean {
  return error instanceof CancelledError && error.by === "client"
}
