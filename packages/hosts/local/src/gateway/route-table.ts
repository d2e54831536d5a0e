import type { GatewayRoute } from "./route.ts"
import {
  comparePatterns,
  matchesPattern,
  parseRoutePattern,
  patternShape,
  type RoutePattern,
  readPathParameters,
} from "./route-pattern.ts"

export interface MatchedRoute {
  readonly route: GatewayRoute
  /** `POST /functions/{name}` */
  readonly routeKey: string
  /** Decoded. Undefined when the path has none. */
  readonly pathParameters: Record<string, string> | undefined
}

export interface RouteTable {
  /** Returns null when no route matches. @param path as in `RequestTarget.routePath` */
  match(method: string, path: string): MatchedRoute | null
}

interface CompiledRoute {
  /** Two routes of one path may name its parameters differently. */
  readonly pattern: RoutePattern
  readonly match: MatchedRoute
}

/** The routes of one path, by method. */
type PathRoutes = Map<string, CompiledRoute>

/**
 * Compiles routes into a table. As in an HTTP API, the most specific path that supports the method wins: literals
 * before `{parameters}`, segment by segment, and both before `{proxy+}`. The match is exact: letter case and trailing
 * slashes matter.
 *
 * @throws TypeError for a path that is not in API Gateway's syntax, and for two routes that match the same requests
 */
export function compileRoutes(routes: readonly GatewayRoute[]): RouteTable {
  const literals = new Map<string, PathRoutes>()
  const patterns = new Map<string, { readonly pattern: RoutePattern; readonly routes: PathRoutes }>()
  for (const route of routes) {
    const pattern = parseRoutePattern(route.path)
    const shape = patternShape(pattern)
    const pathRoutes: PathRoutes = literals.get(shape) ?? patterns.get(shape)?.routes ?? new Map()
    if (pathRoutes.has(route.method)) throw new TypeError(`Two routes match ${route.method} ${route.path}`)
    const routeKey = `${route.method} ${route.path}`
    pathRoutes.set(route.method, { pattern, match: { route, routeKey, pathParameters: undefined } })
    if (pattern.isLiteral) literals.set(shape, pathRoutes)
    else patterns.set(shape, { pattern, routes: pathRoutes })
  }
  const bySpecificity = [...patterns.values()].sort((a, b) => comparePatterns(a.pattern, b.pattern))

  return {
    match(method, path) {
      const literal = literals.get(path)
      const compiled = literal && routeFor(literal, method)
      if (compiled !== undefined) return compiled.match
      const segments = path.slice(1).split("/")
      for (const { pattern, routes } of bySpecificity) {
        if (!matchesPattern(pattern, segments)) continue
        const compiled = routeFor(routes, method)
        if (compiled !== undefined) {
          return { ...compiled.match, pathParameters: readPathParameters(compiled.pattern, segments) }
        }
      }
      return null
    },
  }
}

function routeFor(routes: PathRoutes, method: string): CompiledRoute | undefined {
  return routes.get(method) ?? routes.get("ANY")
}
