import { createDataObject } from "./data-object.ts"

/** One segment of a route's path. A greedy one is always the last, and matches one or more segments. */
type PatternSegment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "parameter" | "greedy"; readonly name: string }

/** A parsed route path. */
export interface RoutePattern {
  readonly segments: readonly PatternSegment[]
  readonly isLiteral: boolean
  readonly isGreedy: boolean
}

const SEGMENT = /^(?:\{(?<name>[A-Za-z0-9._-]+)(?<plus>\+?)\}|(?<literal>[^{}?#%]+))$/

/**
 * Parses a route's path, such as `/{team_id}/apps/{app_id}` or `/files/{proxy+}`.
 *
 * @throws TypeError when it is not in API Gateway's syntax
 */
export function parseRoutePattern(path: string): RoutePattern {
  if (path === "/") return { segments: [{ kind: "literal", text: "" }], isLiteral: true, isGreedy: false }
  const texts = path.startsWith("/") ? path.slice(1).split("/") : [""]
  const segments = texts.map((text, index): PatternSegment => {
    const { literal, name, plus } = SEGMENT.exec(text)?.groups ?? {}
    if (literal !== undefined) return { kind: "literal", text: literal }
    const isLast = index === texts.length - 1
    if (name === undefined || (plus === "+" && !isLast)) throw new TypeError(`Not a route path: ${path}`)
    return { kind: plus === "+" ? "greedy" : "parameter", name }
  })
  const names = segments.flatMap((segment) => (segment.kind === "literal" ? [] : [segment.name]))
  if (new Set(names).size < names.length)
    throw new TypeError(`A parameter occurs twice in a route path: ${path}`)
  return { segments, isLiteral: names.length === 0, isGreedy: segments.at(-1)?.kind === "greedy" }
}

/**
 * Returns a text that is equal for two patterns exactly when they match the same paths. For a literal one it is the
 * path.
 */
export function patternShape({ segments }: RoutePattern): string {
  return segments
    .map((segment) => (segment.kind === "literal" ? `/${segment.text}` : `/{${segment.kind}}`))
    .join("")
}

const RANKS = { literal: 0, parameter: 1, greedy: 2 } as const

/** Sorts the more specific pattern first: segment by segment literals, then parameters, then `{proxy+}`. */
export function comparePatterns({ segments: a }: RoutePattern, { segments: b }: RoutePattern): number {
  for (const [index, segment] of a.entries()) {
    const other = b[index]
    if (other === undefined) break
    const difference = RANKS[segment.kind] - RANKS[other.kind]
    if (difference !== 0) return difference
  }
  return b.length - a.length
}

/** Whether a pattern matches a path, given as segments. A parameter is never empty. */
export function matchesPattern({ segments, isGreedy }: RoutePattern, path: readonly string[]): boolean {
  if (isGreedy ? path.length < segments.length : path.length !== segments.length) return false
  return segments.every((segment, index) => {
    if (segment.kind === "literal") return segment.text === path[index]
    return path[index] !== "" || (segment.kind === "greedy" && path.length > segments.length)
  })
}

/** Returns the decoded parameters of a path that the pattern matches. */
export function readPathParameters(
  { segments }: RoutePattern,
  path: readonly string[],
): Record<string, string> {
  const parameters = createDataObject()
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === "literal") continue
    const value = segment.kind === "greedy" ? path.slice(index).join("/") : (path[index] ?? "")
    parameters[segment.name] = value.includes("%") ? decodeURIComponent(value) : value
  }
  return parameters
}
