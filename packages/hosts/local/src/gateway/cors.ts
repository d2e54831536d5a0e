import type { ProxyResponse } from "./proxy-result.ts"

/** The CORS settings of an HTTP API ("Configure CORS for HTTP APIs in API Gateway"). */
export interface CorsConfiguration {
  /** `*`, `http://*`, `https://*`, or origins such as `https://www.example.com`. */
  readonly allowOrigins: readonly string[]
  /** Methods, or `*`. */
  readonly allowMethods: readonly string[]
  /** Header names, or `*`. */
  readonly allowHeaders: readonly string[]
  readonly exposeHeaders: readonly string[]
  /** How long a browser may cache the answer to a preflight, in seconds. */
  readonly maxAgeSeconds: number
}

/**
 * Answers a preflight; null when the request is not one.
 *
 * An HTTP API answers preflights itself, whatever its routes are. If the origin, method or headers are not allowed, the
 * answer has no CORS headers: that is how a browser learns of the refusal.
 *
 * @param fields the request's headers, with lower-case names
 */
export function answerPreflight(
  cors: CorsConfiguration,
  method: string,
  fields: Readonly<Record<string, string>>,
): ProxyResponse | null {
  const { origin, "access-control-request-method": requestedMethod } = fields
  if (method !== "OPTIONS" || origin === undefined || requestedMethod === undefined) return null
  const requestedHeaders = listed(fields["access-control-request-headers"] ?? "")
  const isAllowed =
    allows(cors.allowMethods, requestedMethod) &&
    requestedHeaders.every((name) => allows(cors.allowHeaders, name))
  const allowOrigin = isAllowed ? allowedOrigin(cors, origin) : null
  const headers = new Map(varyHeader(cors))
  if (allowOrigin !== null) {
    headers.set("access-control-allow-origin", allowOrigin)
    headers.set("access-control-allow-methods", cors.allowMethods.join(","))
    headers.set("access-control-allow-headers", cors.allowHeaders.join(","))
    headers.set("access-control-max-age", String(cors.maxAgeSeconds))
  }
  return { statusCode: 204, headers, cookies: [], body: "" }
}

/** Replaces a response's own CORS headers, which an HTTP API ignores, by those of the configuration. */
export function withCorsHeaders(
  cors: CorsConfiguration,
  origin: string | undefined,
  response: ProxyResponse,
): ProxyResponse {
  const allowOrigin = origin === undefined ? null : allowedOrigin(cors, origin)
  const vary = varyHeader(cors)
  const ownNames = [...response.headers.keys()].filter((name) => name.startsWith("access-control-"))
  if (allowOrigin === null && vary.length === 0 && ownNames.length === 0) return response
  const headers = new Map(response.headers)
  for (const name of ownNames) headers.delete(name)
  if (allowOrigin !== null) {
    headers.set("access-control-allow-origin", allowOrigin)
    if (cors.exposeHeaders.length > 0)
      headers.set("access-control-expose-headers", cors.exposeHeaders.join(","))
  }
  for (const [name, value] of vary) {
    const earlier = headers.get(name)
    headers.set(name, earlier === undefined ? value : `${earlier},${value}`)
  }
  return { ...response, headers }
}

function allowedOrigin({ allowOrigins }: CorsConfiguration, origin: string): string | null {
  if (allowOrigins.includes("*")) return "*"
  const isAllowed = allowOrigins.some((allowed) =>
    allowed.endsWith("://*") ? origin.startsWith(allowed.slice(0, -1)) : origin === allowed,
  )
  return isAllowed ? origin : null
}

/** An answer that depends on the origin must not be cached for a different one. */
function varyHeader({ allowOrigins }: CorsConfiguration): [name: string, value: string][] {
  return allowOrigins.includes("*") ? [] : [["vary", "Origin"]]
}

function allows(allowed: readonly string[], asked: string): boolean {
  return allowed.some((each) => each === "*" || each.toLowerCase() === asked.toLowerCase())
}

function listed(value: string): string[] {
  return value.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]))
}
