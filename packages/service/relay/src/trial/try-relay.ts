import type { App } from "@sealway/accounts"
import { createBoundedMap } from "@sealway/kernel"
import {
  type CompiledRelay,
  compileRelay,
  matchRoutes,
  RelayError,
  type RelayRules,
  type Route,
  type RoutedRequest,
} from "@sealway/relay-engine"
import type { CipherDependencies } from "../cipher/create-message-cipher.ts"
import type { Relay } from "../relays/relay.ts"
import type { TrialMeans } from "./dry-cipher.ts"
import { messageOf, type SampleRequest, type SampleResponse } from "./sample.ts"
import { type TrialWarning, warningsOfTrial } from "./trial-warnings.ts"
import { type MessageTrial, orRelayError, tryMessage } from "./try-message.ts"

export interface RelayTrial {
  /** Why the request would be refused before its routes are known; null: it would not be. */
  readonly refusal: RelayError | null
  /** All routes, in order. */
  readonly routes: readonly { readonly route: Route; readonly isMatched: boolean }[]
  readonly request: MessageTrial | null
  /** Null: none was given, or the request is refused before its routes are known. */
  readonly response: MessageTrial | null
  readonly warnings: readonly TrialWarning[]
}

/** Tries a request, and its response, with a relay's routes, using the live engine. */
export async function tryRelay(
  dependencies: CipherDependencies,
  app: App,
  relay: RelayRules & Pick<Relay, "id">,
  sample: { readonly request: SampleRequest; readonly response: SampleResponse | null },
  means: TrialMeans,
): Promise<RelayTrial> {
  const compiled = compileRelay(relay)
  const request = messageOf(sample.request)
  const routed = {
    method: sample.request.method,
    target: sample.request.path,
    rawHeaders: request.rawHeaders,
  }
  const matched = await orRelayError(() => matchRoutes(compiled, routed))
  if (matched instanceof RelayError) {
    const routes = relay.routes.map((route) => ({ route, isMatched: false }))
    return { refusal: matched, routes, request: null, response: null, warnings: [] }
  }
  const place = { app, relayId: relay.id }
  const requestTrial = await tryMessage(dependencies, place, compiled, matched.request, request, means)
  const responseTrial =
    sample.response &&
    (await tryMessage(dependencies, place, compiled, matched.response, messageOf(sample.response), means))
  const routes = compiled.routes.map((each) => ({
    route: each.route,
    isMatched: isMatchedAlone(compiled, each, routed),
  }))
  return {
    refusal: null,
    routes,
    request: requestTrial,
    response: responseTrial,
    warnings: [
      ...(routes.some(({ isMatched }) => isMatched) ? [] : [NO_ROUTE]),
      ...warningsOfTrial("request", requestTrial),
      ...(responseTrial === null ? [] : warningsOfTrial("response", responseTrial)),
    ],
  }
}

/** Whether a route is among those that a request matched. What all routes together accept, each one accepts. */
function isMatchedAlone(
  compiled: CompiledRelay,
  route: CompiledRelay["routes"][number],
  request: RoutedRequest,
): boolean {
  const alone: CompiledRelay = { ...compiled, routes: [route], unmatched: "pass", paths: createBoundedMap(1) }
  return matchRoutes(alone, request).patterns.length > 0
}

const NO_ROUTE: TrialWarning = {
  code: "no-route-matches",
  direction: "request",
  selector: null,
  detail: "No route matches this method and path. The request and its response would pass unchanged.",
}
