import { PROBLEM_CONTENT_TYPE, problemBody } from "@sealway/kernel"
import type { Endpoint, LambdaHandler } from "@sealway/platform"

/** Where an endpoint is. Plain JSON. */
export interface DeclaredRoute {
  readonly method: string
  /** In API Gateway's syntax: `/apps/{app_id}/keys`. */
  readonly path: string
}

/** The routes of endpoints, other paths included that answer alike. */
export function declaredRoutes(endpoints: readonly Endpoint<never>[]): readonly DeclaredRoute[] {
  return endpoints.flatMap(({ method, path, aliases = [] }) =>
    [path, ...aliases].map((each) => ({ method, path: each })),
  )
}

/**
 * Answers the requests that no route is for, where API Gateway would answer in words of its own: 405 with `Allow` when
 * the path takes another method, 404 otherwise. Nothing of a request comes back.
 *
 * @param routes every route of the service
 */
export function createUnknownRouteHandler(routes: readonly DeclaredRoute[]): LambdaHandler {
  const known = routes.map(({ method, path }) => ({ method, segments: path.split("/") }))
  return async ({ rawPath, headers, requestContext }) => {
    // API Gateway adds the headers that allow something; a browser asks for a 2xx beside them.
    if (isPreflight(requestContext.http.method, headers)) return { statusCode: 204 }
    const segments = rawPath.split("/")
    const methods = known.filter((route) => matches(route.segments, segments)).map(({ method }) => method)
    return methods.length === 0
      ? refuse("not-found", "There is nothing at this path.")
      : refuse(
          "method-not-allowed",
          "The path does not take this method. The Allow header lists those it takes.",
          {
            allow: [...new Set(methods)].sort().join(", "),
          },
        )
  }
}

function isPreflight(method: string, headers: Readonly<Record<string, string | undefined>>): boolean {
  return (
    method === "OPTIONS" &&
    headers.origin !== undefined &&
    headers["access-control-request-method"] !== undefined
  )
}

/** Whether a path is one of a route: each `{parameter}` stands for one segment that is not empty. */
function matches(route: readonly string[], path: readonly string[]): boolean {
  return (
    route.length === path.length &&
    route.every((segment, index) => (segment.startsWith("{") ? path[index] !== "" : segment === path[index]))
  )
}

function refuse(
  code: "not-found" | "method-not-allowed",
  detail: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const problem = problemBody(code, detail)
  return {
    statusCode: problem.status,
    headers: { "content-type": PROBLEM_CONTENT_TYPE, "cache-control": "no-store", ...headers },
    body: JSON.stringify(problem),
  }
}
