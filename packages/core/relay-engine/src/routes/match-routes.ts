import { headerOf, type RawHeaders } from "@sealway/kernel"
import { RelayError } from "../errors/relay-error.ts"
import { compileOperations } from "../operations/compile-operations.ts"
import type { CompiledRelay, CompiledRoute, MatchedRoutes, RoutesAtPath } from "./compile-relay.ts"
import { isLiteral, matchesPath } from "./path-pattern.ts"
import { isAmbiguous, otherReadings, type PathReadings, segmentsOf } from "./path-readings.ts"
import { changesMethod, changesPath } from "./rerouting-headers.ts"

/** Computing all readings of a path takes about a hundred times as long as one. */
const MAX_READ_CHARACTERS = 4096
/** Longer paths are rarely sent again. */
const MAX_KEPT_CHARACTERS = 128

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
 * destination without the actions of its route, or have values decrypted for a resource that has no such route. The same
 * goes for its method, and for a request without a route if the relay does not pass any.
 *
 * @throws RelayError `bad-request`
 */
export function matchRoutes(compiled: CompiledRelay, request: RoutedRequest): MatchedRoutes {
  const { method, target, rawHeaders } = request
  const path = pathOf(target)
  if (compiled.distinguishesPaths && changesPath(rawHeaders)) {
    throw refusal("A header overrides the request's path.")
  }
  const found = routesAt(compiled, method, path)
  const { matched, others } = found
  if (others.length > 0 && changesMethod(method, target, rawHeaders)) {
    throw refusal(
      "A header or the query overrides the request's method, and the path has a route for another one.",
    )
  }
  const asked = askedFor(request, others)
  if (asked.length === 0 && found.usual !== null) return found.usual
  const isTolerated = matched.length === 0 && compiled.encrypts && asked.length === 0
  if (isTolerated && compiled.unmatched === "refuse") {
    throw refusal(
      "No route matches the request's method and path, and the relay passes only what a route describes (unmatched: refuse).",
    )
  }
  const routes = combined(compiled, matched, { asked, watchesMethod: others.length > 0, isTolerated })
  if (asked.length === 0) found.usual = routes
  return routes
}

/** Finds the routes of a method and path: the same object as before, for most. @throws RelayError */
function routesAt(compiled: CompiledRelay, method: string, path: string): RoutesAtPath {
  const key = path === "*" || compiled.distinguishesPaths ? `${method} ${path}` : method
  const known = compiled.paths.get(key)
  if (known !== undefined) return known
  const found = findRoutes(compiled, method, path)
  if (key.length <= MAX_KEPT_CHARACTERS) compiled.paths.set(key, found)
  return found
}

function findRoutes(compiled: CompiledRelay, method: string, path: string): RoutesAtPath {
  if (path === "*") return { matched: [], others: [], usual: null }
  const segments = segmentsOf(path)
  const isOfMethod = ({ route }: CompiledRoute) => route.method === null || isForMethod(route.method, method)
  const routes = compiled.routes.filter(isOfMethod)
  const matched = routes.filter(({ pattern }) => matchesPath(pattern, segments, false))
  const readings = compiled.distinguishesPaths ? readingsOf(path, segments) : NO_READINGS
  if (!areSame(routes, matched, readings)) {
    throw refusal("The path is ambiguous: different readings match different routes.")
  }
  const others =
    routes.length === compiled.routes.length
      ? []
      : compiled.routes.filter((route) => !isOfMethod(route) && isRead(route, segments, readings))
  return { matched, others, usual: null }
}

/** The ways in which servers read a path, this relay's included. The last two ignore case: they are in lower case. */
interface Readings extends Pick<PathReadings, "same"> {
  readonly sameFolded: PathReadings["same"]
  readonly withinFolded: PathReadings["within"]
}

const NO_READINGS: Readings = { same: [], sameFolded: [], withinFolded: [] }

/** @throws RelayError when there are too many */
function readingsOf(path: string, segments: readonly string[]): Readings {
  if (path.length > MAX_READ_CHARACTERS && isAmbiguous(path)) throw refusal("The path is too long.")
  const others = otherReadings(path)
  if (others === null) throw refusal("The path is ambiguous: it can be read in too many ways.")
  const same = [segments, ...others.same]
  return { same, sameFolded: same.map(lowerCase), withinFolded: others.within.map(lowerCase) }
}

/**
 * Whether no reading of a path has other routes. A script or an extension that a route spells out is part of its path:
 * only for others, something else may serve the path.
 */
function areSame(
  routes: readonly CompiledRoute[],
  matched: readonly CompiledRoute[],
  { same, sameFolded, withinFolded }: Readings,
): boolean {
  if (!same.every((reading) => isSame(routes, matched, reading, false))) return false
  if (!sameFolded.every((reading) => isSame(routes, matched, reading, true))) return false
  if (withinFolded.length === 0 || matched.some(({ pattern }) => isLiteral(pattern))) return true
  const others = routes.filter((route) => !matched.includes(route))
  return !others.some(({ pattern }) => withinFolded.some((reading) => matchesPath(pattern, reading, true)))
}

/** Whether some server reads a path as one that matches a route. */
function isRead(
  { pattern }: CompiledRoute,
  segments: readonly string[],
  { sameFolded, withinFolded }: Readings,
): boolean {
  const isMatched = (reading: readonly string[]) => matchesPath(pattern, reading, true)
  return matchesPath(pattern, segments, false) || sameFolded.some(isMatched) || withinFolded.some(isMatched)
}

function lowerCase(segments: readonly string[]): readonly string[] {
  return segments.map((segment) => segment.toLowerCase())
}

/**
 * Returns the routes of the request that a browser asks whether it may send (Fetch Standard, "CORS-preflight fetch"). It
 * does so without the request's body and headers, but with its query: what they encrypt is encrypted here too.
 */
function askedFor(
  { method, rawHeaders }: RoutedRequest,
  others: readonly CompiledRoute[],
): readonly CompiledRoute[] {
  if (method !== "OPTIONS" || headerOf(rawHeaders, "transfer-encoding") !== undefined) return []
  if ((headerOf(rawHeaders, "content-length") ?? "0") !== "0") return []
  const wanted = headerOf(rawHeaders, "access-control-request-method")
  if (wanted === undefined) return []
  return others.filter(({ route }) => route.method !== null && isForMethod(route.method, wanted))
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

function combined(
  { routes, matches }: CompiledRelay,
  matched: readonly CompiledRoute[],
  {
    asked,
    watchesMethod,
    isTolerated,
  }: Pick<MatchedRoutes, "isTolerated"> & {
    readonly asked: readonly CompiledRoute[]
    readonly watchesMethod: boolean
  },
): MatchedRoutes {
  const placesOf = (found: readonly CompiledRoute[]) =>
    found.length === 0 ? "" : found.map((route) => routes.indexOf(route)).join()
  const key = `${placesOf(matched)}/${placesOf(asked)}${watchesMethod ? "+" : ""}${isTolerated ? "?" : ""}`
  const known = matches.get(key)
  if (known !== undefined) return known
  const selections = [
    ...matched.flatMap(({ request }) => request),
    ...asked.flatMap(({ request }) => request.filter(({ action }) => action === "encrypt")),
  ]
  const combination: MatchedRoutes = {
    patterns: matched.map(({ route }) => route.path),
    request: compileOperations(selections, { watchesMethod }),
    response: compileOperations(matched.flatMap(({ response }) => response)),
    isTolerated,
  }
  matches.set(key, combination)
  return combination
}

function refusal(detail: string): RelayError {
  return new RelayError("bad-request", detail)
}
