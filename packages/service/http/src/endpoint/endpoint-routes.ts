import type { Endpoint, HttpMethod } from "./endpoint.ts"

/** Where an endpoint is served. Plain JSON. */
export interface EndpointRoute {
  readonly method: HttpMethod | "HEAD"
  /** In API Gateway's syntax: `/apps/{app_id}/keys`. */
  readonly path: string
}

/**
 * Returns the routes of an endpoint: its path and its aliases. GET routes answer HEAD too (RFC 9110, section 9.3.2):
 * the server in front of the handler drops the body.
 */
export function routesOf({ method, path, aliases = [] }: Endpoint<never>): readonly EndpointRoute[] {
  const methods = method === "GET" ? [method, "HEAD" as const] : [method]
  return [path, ...aliases].flatMap((each) => methods.map((method) => ({ method, path: each })))
}
