import type { RawHeaders } from "@sealway/kernel"
import { RelayError } from "../errors/relay-error.ts"
import { compileOperations } from "../operations/compile-operations.ts"
import type { CompiledRelay, CompiledRoute, MatchedRoutes } from "./compile-relay.ts"
import { matchesPath } from "./path-pattern.ts"
import { isAmbiguous, otherReadings, segmentsOf } from "./path-readings.ts"
import { changesMethod, changesPath } from "./rerouting-headers.ts"

/** Computing all readings of a path takes about a hundred times as long as one. */
const MAX_READ_CHARACTERS = 4096

/** The parts of a request that determine its routes. */
export interface RoutedRequest {
  /** Upper case. */
  readonly method: string
  /** Path and query, as they are forwarded. */
  readonly target: string
  readonly rawHeaders: RawHeaders
}

/**
 * Finds the routes of a request, by its method and the path of its target: the exact bytes that the destination gets.
 * Routes for GET apply to HEAD too.
 *
 * A path that some servers would read differently than this relay (see `otherReadings`; or by ignoring case) is refused
 * when the other reading has other routes: otherwise a client could choose a spelling that reaches a resource of the
 * destination without the actions of its route, or have values decrypted for a resource that has no such route.
 *
 * @throws RelayError `bad-request`
 */
export function matchRoutes(compiled: CompiledRelay, request: RoutedRequest): MatchedRoutes {
  const { method, target, rawHeaders } = request
  const path = pathOf(target)
  if (compiled.distinguishesMethods && changesMethod(method, target, rawHeaders)) {
    throw refusal("A header or the query overrides the request's method.")
  }
  if (compiled.distinguishesPaths && changesPath(rawHeaders)) {
    throw refusal("A header overrides the request's path.")
  }
  const isAsterisk = path === "*"
  const routes = isAsterisk
    ? []
    : compiled.routes.filter(({ route }) => route.method === null || isForMethod(route.method, method))
  const segments = isAsterisk ? [] : segmentsOf(path)
  const matched = routes.filter(({ pattern }) => matchesPath(pattern, segments, false))
  if (!isAsterisk && compiled.distinguishesPaths) {
    if (path.length > MAX_READ_CHARACTERS && isAmbiguous(path)) throw refusal("The path is too long.")
    for (const reading of [segments, ...otherReadings(path)]) {
      const folded = reading.map((segment) => segment.toLowerCase())
      if (!isSame(routes, matched, reading, false) || !isSame(routes, matched, folded, true)) {
        throw refusal("The path is ambiguous: different readings match different routes.")
      }
    }
  }
  return combined(compiled, matched)
}

function pathOf(target: string): string {
  const queryAt = target.indexOf("?")
  const path = queryAt === -1 ? target : target.slice(0, queryAt)
  if (!path.startsWith("/") && path !== "*") throw refusal("The request's target is not a path.")
  return path
}

function isForMethod(routeMethod: string, method: string): boolean {
  return routeMethod === method || (routeMethod === "GET" && method === "HEAD")
}

function isSame(
  routes: readonly CompiledRoute[],
  matched: readonly CompiledRoute[],
  segments: readonly string[],
  isFolded: boolean,
): boolean {
  let index = 0
  for (const route of routes) {
    const isMatched = matched[index] === route
    if (matchesPath(route.pattern, segments, isFolded) !== isMatched) return false
    if (isMatched) index++
  }
  return true
}

function combined({ routes, matches }: CompiledRelay, matched: readonly CompiledRoute[]): MatchedRoutes {
  const key = matched.map((route) => routes.indexOf(route)).join()
  const known = matches.get(key)
  if (known !== undefined) return known
  const combination: MatchedRoutes = {
    patterns: matched.map(({ route }) => route.path),
    request: compileOperations(matched.flatMap(({ request }) => request)),
    response: compileOperations(matched.flatMap(({ response }) => response)),
  }
  matches.set(key, combination)
  return combination
}

function refusal(detail: string): RelayError {
  return new RelayError("bad-request", detail)
}
