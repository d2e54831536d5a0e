import type { Route } from "./route.ts"
import {
  comparePatterns,
  matchPattern,
  parseRoutePattern,
  patternShape,
  type RoutePattern,
} from "./route-pattern.ts"

export interface MatchedRoute {
  readonly kind: "matched"
  readonly route: Route
  /** `POST /functions/{name}` */
  readonly routeKey: string
  /** Decoded, without a prototype. Undefined when the path has none. */
  readonly pathParameters: Record<string, string> | undefined
}

/** What a table says about a request. `allow` is the value of the Allow header. */
export type RouteMatch =
  | MatchedRoute
  | { readonly kind: "unknown-path" }
  | { readonly kind: "unknown-method"; readonly allow: string }

export interface RouteTable {
  /** @param path as `RequestTarget.routePath` */
  match(method: string, path: string): RouteMatch
}

/** The routes of one path, by method. */
type PathRoutes = Map<string, MatchedRoute>

/**
 * Compiles routes into a table. As in an HTTP API, the most specific path that takes the method wins: literals before
 * `{parameters}`, segment by segment, and both before `{proxy+}`. The match is exact: neither letter case nor a
 * trailing slash is forgiven.
 *
 * @throws TypeError for a path that is not in API Gateway's syntax, and for two routes that match the same requests
 */
export function compileRoutes(routes: readonly Route[]): RouteTable {
  const literals = new Map<string, PathRoutes>()
  const patterns = new Map<string, { readonly pattern: RoutePattern; readonly routes: PathRoutes }>()
  for (const route of routes) {
    const pattern = parseRoutePattern(route.path)
    const shape = patternShape(pattern)
    const pathRoutes = literals.get(shape) ?? patterns.get(shape)?.routes ?? new Map<string, MatchedRoute>()
    if (pathRoutes.has(route.method)) throw new TypeError(`Two routes match ${route.method} ${route.path}`)
    const routeKey = `${route.method} ${route.path}`
    pathRoutes.set(route.method, { kind: "matched", route, routeKey, pathParameters: undefined })
    if (pattern.isLiteral) literals.set(shape, pathRoutes)
    else patterns.set(shape, { pattern, routes: pathRoutes })
  }
  const bySpecificity = [...patterns.values()].sort((a, b) => comparePatterns(a.pattern, b.pattern))

  return {
    match(method, path) {
      const literal = literals.get(path)
      const matched = literal && routeFor(literal, method)
      if (matched !== undefined) return matched
      const passedOver = literal === undefined ? [] : [literal]
      const segments = path.slice(1).split("/")
      for (const { pattern, routes } of bySpecificity) {
        const pathParameters = matchPattern(pattern, segments)
        if (pathParameters === null) continue
        const matched = routeFor(routes, method)
        if (matched !== undefined) return { ...matched, pathParameters }
        passedOver.push(routes)
      }
      if (passedOver.length === 0) return { kind: "unknown-path" }
      const allowed = new Set(passedOver.flatMap((routes) => [...routes.keys()]))
      return { kind: "unknown-method", allow: [...allowed].sort().join(", ") }
    },
  }
}

function routeFor(routes: PathRoutes, method: string): MatchedRoute | undefined {
  return routes.get(method) ?? routes.get("ANY")
}
