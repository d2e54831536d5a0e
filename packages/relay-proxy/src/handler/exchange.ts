import type { AuditAuthor } from "@sealway/platform"
import { type CipherDependencies, createMessageCipher, formatHost, type ServedRelay } from "@sealway/relay"
import type { MatchedRoutes, TransformOptions } from "@sealway/relay-engine"
import type { InboundRequest } from "../exchange.ts"
import type { RelayLimits } from "../limits.ts"
import type { RelayCaller } from "./authenticate.ts"
import type { ExchangeMemory } from "./body-memory.ts"
import type { ExchangeRecord } from "./exchange-record.ts"

/** A request that may go on, and what has been found out about it. */
export interface Exchange {
  readonly request: InboundRequest
  readonly served: ServedRelay
  readonly caller: RelayCaller | null
  readonly routes: MatchedRoutes
  readonly record: ExchangeRecord
  readonly memory: ExchangeMemory
}

/** What changing a message needs. */
export interface TransformDependencies extends CipherDependencies {
  readonly limits: RelayLimits
}

/** Whether the answer's body is read. The leak watch looks at the answers of matched routes only. */
export function readsResponse({ served, routes }: Exchange): boolean {
  if (routes.response.touchesBody) return true
  return served.compiled.leakWatch !== "off" && routes.patterns.length > 0
}

export function transformOptions(
  { request, served, caller, record, memory }: Exchange,
  direction: "request" | "response",
  dependencies: TransformDependencies,
): TransformOptions {
  const { app, relay, compiled } = served
  const { limits } = dependencies
  const apiKeyId = caller?.apiKeyId ?? null
  const actor: AuditAuthor["actor"] =
    apiKeyId === null ? { type: "system", id: relay.id } : { type: "api-key", id: apiKeyId }
  const cipher = createMessageCipher(dependencies, {
    app,
    relayId: relay.id,
    direction,
    decision: { source: "relay", ip: request.ip, apiKeyId, relayDestination: formatHost(relay.destination) },
    author: { actor, ip: request.ip, requestId: request.id },
    maxFileBytes: limits.maxFileBytes,
  })
  const report = direction === "request" ? record.requestReport : record.responseReport
  return { compiled, cipher, limits, report, memory }
}
