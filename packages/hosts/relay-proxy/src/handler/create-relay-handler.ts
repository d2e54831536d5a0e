import type { ApiKeyUses, Directory, Limiter } from "@sealway/accounts"
import { RequestTiming } from "@sealway/http"
import { DEFAULT_MEMORY_BYTES, type MemoryBudget, memoryBudgetOf } from "@sealway/http/ingress"
import { ApiError, andThen, CancelledError, type Clocks, type MaybePromise } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import type { DataRoles } from "@sealway/policies"
import type { Log } from "@sealway/ports"
import type { AccessLog, AuditLog, Stats } from "@sealway/records"
import { admitExchange, type RelayDirectory, type RelayObserver } from "@sealway/relay"
import { matchRoutes, RelayError } from "@sealway/relay-engine"
import type { InboundRequest, OutboundReply, RelayHandler, Upstream } from "../exchange.ts"
import { RELAY_LIMITS, type RelayLimits } from "../limits.ts"
import { problemReply } from "../server/problem-reply.ts"
import { authenticate, type RelayCaller, requireScope } from "./authenticate.ts"
import { createExchangeMemory, type ExchangeMemory } from "./body-memory.ts"
import { decryptionContextOf, type Exchange } from "./exchange.ts"
import { ExchangeAccess } from "./exchange-access.ts"
import { ExchangeRecord } from "./exchange-record.ts"
import { findRelay } from "./find-relay.ts"
import { traceOf } from "./forwarded-headers.ts"
import { HeldRequest } from "./held-request.ts"
import { incomingInformation } from "./incoming-information.ts"
import { incomingReply } from "./incoming-reply.ts"
import { outgoingRequest } from "./outgoing-request.ts"

export interface HandlerDependencies extends Clocks {
  readonly relays: Pick<RelayDirectory, "byDomain" | "byDestination">
  /** The suffix of all relays' domains. */
  readonly relayDomain: string
  readonly upstream: Pick<Upstream, "send">
  readonly observer: Pick<RelayObserver, "finished">
  readonly directory: Directory
  readonly keyring: Keyring
  readonly dataRoles: Pick<DataRoles, "decide" | "markUsed">
  readonly audit: AuditLog
  readonly accessLog: Pick<AccessLog, "record">
  readonly apiKeyUses: Pick<ApiKeyUses, "note">
  readonly limiter: Pick<Limiter, "admit">
  readonly log: Log
  readonly stats: Pick<Stats, "count" | "countGroup">
  /** Default: `RELAY_LIMITS`. */
  readonly limits?: RelayLimits
  /**
   * The memory for all bodies that are read as a whole, and for answers until their clients have read them. Default: new,
   * of the default size.
   */
  readonly memory?: MemoryBudget
}

/**
 * Answers requests for relays: finds the relay, authenticates, applies the routes to the request, sends it to the
 * destination, applies them to the answer and returns it. Bodies without actions are streamed through. Never rejects: a
 * refusal is an answer, unexpected errors are logged and answered with `internal-server-error`, and those of keys in KMS that cannot be
 * used at the moment with `service-unavailable`.
 */
export function createRelayHandler(dependencies: HandlerDependencies): RelayHandler {
  const { relays, relayDomain, upstream, apiKeyUses, limiter, log, limits = RELAY_LIMITS } = dependencies
  const { keyring, dataRoles, audit, wallClock } = dependencies
  const { memory: budget = memoryBudgetOf(DEFAULT_MEMORY_BYTES) } = dependencies
  const recording = { accessLog: dependencies.accessLog, audit, wallClock }
  const transforming = { keyring, dataRoles, audit, wallClock, limits }

  function answer(request: InboundRequest, record: ExchangeRecord): MaybePromise<OutboundReply> {
    return andThen(findRelay(request, relays, relayDomain), (served) => {
      record.relay = served.relay
      if (served.relay.serverTiming) record.timing = new RequestTiming(dependencies.now)
      if (request.refusal !== null) throw request.refusal
      const authenticated = record.measure("authentication", () =>
        authenticate(request, served, dependencies),
      )
      return andThen(authenticated, (caller) => {
        // Times are for those who run the app.
        if (caller === null) record.timing = null
        record.useNoted = noteUse(caller)
        const allowance = admitExchange(limiter, { apiKey: caller?.apiKey ?? null, app: served.app })
        const routes = matchRoutes(served.compiled, request)
        record.routes = routes.patterns
        record.isTolerated = routes.isTolerated
        requireScope(caller, routes)
        if (routes.response.touchesBody) allowance.requireValue()
        const access = new ExchangeAccess(recording, decryptionContextOf({ request, served, caller }))
        record.access = access
        const owner = { appId: served.app.id, teamId: served.app.teamId }
        const memory = createExchangeMemory(budget, owner, request)
        const answerMemory = createExchangeMemory(budget, owner, request)
        return passOn({ request, served, caller, routes, record, memory, access, allowance }, answerMemory)
      })
    })
  }

  async function passOn(exchange: Exchange, answerMemory: ExchangeMemory): Promise<OutboundReply> {
    const held = new HeldRequest(exchange)
    try {
      return keepUntilTaken(await exchangeWithDestination(exchange, held, answerMemory), answerMemory)
    } catch (error) {
      answerMemory.release()
      throw error
    } finally {
      held.leave()
    }
  }

  function exchangeWithDestination(
    exchange: Exchange,
    held: HeldRequest,
    answerMemory: ExchangeMemory,
  ): MaybePromise<OutboundReply> {
    const { request, served, record } = exchange
    const { appId, destination, clientCertificate } = served.relay
    const { method, signal, onInformation } = request
    record.begin("engine")
    const outgoing = record.measure("crypto", () => outgoingRequest(exchange, transforming))
    return andThen(outgoing, ({ target, rawHeaders, body: changed, contentLength }) => {
      // While the destination works, what changing it took no longer counts.
      const body = held.keep(changed, limits.maxBufferedBytes)
      return andThen(clientCertificate === null ? null : served.clientCertificate(), async (opened) => {
        record.begin("destination")
        const information = onInformation && incomingInformation(exchange, onInformation, transforming)
        const sending = {
          appId,
          destination,
          method,
          target,
          rawHeaders,
          body,
          contentLength,
          signal,
          clientCertificate: opened,
          onInformation: information?.inform,
          onReleased: held.join(),
        }
        const reply = await record.measure("upstream", () => upstream.send(sending))
        const told = information?.settled() ?? null
        if (told !== null) await told
        record.begin("engine")
        // What becomes the answer has its request until a slow client has read it.
        const answering = { ...exchange, request: { ...request, body: null }, memory: answerMemory }
        const changed = record.measure("crypto", () => incomingReply(answering, reply, transforming))
        return withTiming(changed instanceof Promise ? await changed : changed, record)
      })
    })
  }

  function noteUse(caller: RelayCaller | null): Promise<void> | null {
    if (caller === null) return null
    const write = apiKeyUses.note(caller.apiKey)
    if (write === null) return null
    return write.catch((error: unknown) =>
      log.warn("could not record the use of a key", { endpoint: "relay", error }),
    )
  }

  return async (request) => {
    const record = new ExchangeRecord(request, dependencies)
    let reply: OutboundReply
    let refusal: RelayError | null = null
    try {
      reply = await answer(request, record)
    } catch (error) {
      refusal = refusalOf(error)
      const { retryAfterSeconds } = refusal
      reply = problemReply(refusal.code, refusal.message, { mode: request.mode, retryAfterSeconds })
      const trace = traceOf(request.rawHeaders)
      const fields = {
        requestId: request.id,
        ...(trace && { traceId: trace.traceId }),
        endpoint: "relay",
        code: refusal.code,
        status: reply.status,
      }
      if (error instanceof CancelledError) log.info("request cancelled, because its client left", fields)
      else if (refusal === error) log.info("request refused", fields)
      else log.error("request failed", { ...fields, error: isUnavailable(error) ? error.cause : error })
    }
    if (record.useNoted !== null) await record.useNoted
    record.tellOf(reply, refusal)
    return reply
  }
}

/** Adds the relay's times to the destination's own, if the sender is told. Bodies that are streamed are not part of them. */
function withTiming(reply: OutboundReply, { timing }: ExchangeRecord): OutboundReply {
  if (timing === null) return reply
  return { ...reply, rawHeaders: [...reply.rawHeaders, "Server-Timing", timing.header()] }
}

/**
 * Counts an answer's body until its client has read it.
 *
 * @throws RelayError `service-unavailable` when there is no room for it
 */
function keepUntilTaken(reply: OutboundReply, memory: ExchangeMemory): OutboundReply {
  const { body } = reply
  if (body === null || Buffer.isBuffer(body)) {
    memory.keep(body?.length ?? 0)
    return { ...reply, release: memory.release }
  }
  body.once("close", memory.release)
  return reply
}

function isUnavailable(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "service-unavailable"
}

function refusalOf(error: unknown): RelayError {
  if (error instanceof RelayError) return error
  if (isUnavailable(error))
    return new RelayError("service-unavailable", error.message, { cause: error.cause })
  return new RelayError("internal-server-error", "An unexpected error occurred in the relay.", {
    cause: error,
  })
}
