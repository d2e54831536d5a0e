import { timedKeyring } from "@sealway/http"
import { type Cancellation, CancelledError, processTurns, type Turns } from "@sealway/kernel"
import type { AuditAuthor } from "@sealway/records"
import {
  type CipherDependencies,
  createMessageCipher,
  type Destination,
  formatHost,
  type RelayAllowance,
  type ServedRelay,
  USUAL_PORTS,
} from "@sealway/relay"
import type { MatchedRoutes, TransformOptions } from "@sealway/relay-engine"
import type { DecryptionContext } from "@sealway/vault"
import type { InboundRequest } from "../exchange.ts"
import type { RelayLimits } from "../limits.ts"
import type { RelayCaller } from "./authenticate.ts"
import type { ExchangeMemory } from "./body-memory.ts"
import type { ExchangeAccess } from "./exchange-access.ts"
import type { ExchangeRecord } from "./exchange-record.ts"

/** An accepted request, and what is known about it. */
export interface Exchange {
  readonly request: InboundRequest
  readonly served: ServedRelay
  readonly caller: RelayCaller | null
  readonly routes: MatchedRoutes
  readonly record: ExchangeRecord
  /** Of the message that is being changed. */
  readonly memory: ExchangeMemory
  readonly access: ExchangeAccess
  readonly allowance: RelayAllowance
}

/** What changing a message needs. */
export interface TransformDependencies extends CipherDependencies {
  readonly limits: RelayLimits
}

/** Returns the origin (RFC 6454) at which the client reached the relay. */
export function requestedOrigin({ scheme, host, port }: InboundRequest): Destination {
  return { scheme, host, port: port ?? USUAL_PORTS[scheme] }
}

/** Whether the answer's body is read. The leak watch only checks the answers of matched routes. */
export function readsResponse({ served, routes }: Exchange): boolean {
  if (routes.response.touchesBody) return true
  return served.compiled.leakWatch !== "off" && routes.patterns.length > 0
}

export function transformOptions(
  { request, served, caller, record, memory, access, allowance }: Exchange,
  direction: "request" | "response",
  dependencies: TransformDependencies,
): TransformOptions {
  const { app, relay, compiled } = served
  const { limits } = dependencies
  const apiKeyId = caller?.apiKeyId ?? null
  const author = authorOf({ request, served, caller })
  const turns = turnsUntilGone(request.signal)
  const cipher = createMessageCipher(timedBy(dependencies, record), {
    app,
    relayId: relay.id,
    direction,
    decision: { source: "relay", ip: request.ip, apiKeyId, relayDestination: formatHost(relay.destination) },
    author,
    maxFileBytes: limits.maxFileBytes,
    turns,
    onCounted: (values) => allowance.count(values, direction),
    onOpened: (values) => access.opened(values, direction),
  })
  const report = direction === "request" ? record.requestReport : record.responseReport
  return { compiled, cipher, limits, report, memory, turns }
}

/** The turns of an exchange, which end when its client has left. */
function turnsUntilGone(signal: AbortSignal): Turns {
  const cancellation = new ClientGone(signal)
  return { run: (work) => processTurns.run(work, cancellation), next: () => processTurns.next(cancellation) }
}

/** A class, because an object with a getter is slow to create, and there is one for each exchange. */
class ClientGone implements Cancellation {
  readonly #signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  get cancelled(): Error | null {
    return this.#signal.aborted ? new CancelledError("client") : null
  }
}

/** Measures keys and policies, if the sender is told their times. */
function timedBy(dependencies: TransformDependencies, { timing }: ExchangeRecord): TransformDependencies {
  if (timing === null) return dependencies
  const { keyring, dataRoles } = dependencies
  return {
    ...dependencies,
    keyring: timedKeyring(keyring, timing),
    dataRoles: {
      decide: async (...given) => timing.measure("policy", () => dataRoles.decide(...given)),
      markUsed: async (...given) => timing.measure("policy", () => dataRoles.markUsed(...given)),
    },
  }
}

/** Describes who decrypts values, for the audit log and the access log. */
export function decryptionContextOf(who: Pick<Exchange, "request" | "served" | "caller">): DecryptionContext {
  const { app, relay } = who.served
  const apiKeyId = who.caller?.apiKeyId ?? null
  return { app, author: authorOf(who), source: "relay", apiKeyId, relayId: relay.id }
}

function authorOf({ request, served, caller }: Pick<Exchange, "request" | "served" | "caller">): AuditAuthor {
  const actor: AuditAuthor["actor"] =
    caller === null ? { type: "system", id: served.relay.id } : { type: "api-key", id: caller.apiKeyId }
  return { actor, ip: request.ip, requestId: request.id }
}
