import { type EndpointRoute, EVERY_ANSWER, type LambdaHandler } from "@sealway/http"
import { PROBLEM_CONTENT_TYPE, problemBody } from "@sealway/kernel"

/** The answer to a request without a route. */
export interface UnknownRouteAnswer {
  readonly statusCode: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Answers requests that match no route, which API Gateway would answer without a problem document: 405 with `Allow`
 * when the path supports other methods, 404 otherwise. With a superfluous slash the 404 names the route's path. Nothing
 * of the request is echoed.
 *
 * @param routes every route of the service
 */
export function createUnknownRouteAnswers(
  routes: readonly EndpointRoute[],
): (path: string) => UnknownRouteAnswer {
  const known = Map.groupBy(routes, ({ path }) => path)
  const patterns = [...known.keys()].map((path) => path.split("/")).sort(bySpecificity)
  /** Returns the route that matches a path. Of several, the one that API Gateway would choose. */
  const find = (path: string) => {
    const segments = path.split("/")
    return patterns.find((pattern) => matches(pattern, segments))?.join("/")
  }

  return (path) => {
    const found = find(path)
    if (found !== undefined) {
      const methods = known.get(found)?.map(({ method }) => method) ?? []
      return refuse(
        "method-not-allowed",
        "This path does not support the method. The Allow header lists the methods that it supports.",
        { allow: [...new Set(methods)].sort().join(", ") },
      )
    }
    const withoutSlash = path.endsWith("/") ? find(path.slice(0, -1)) : undefined
    return refuse(
      "not-found",
      withoutSlash === undefined
        ? "There is nothing at this path."
        : `There is nothing at this path. Use ${withoutSlash}, without the slash at the end.`,
    )
  }
}

/** Creates the same as a Lambda handler, for the route `$default`. */
export function createUnknownRouteHandler(routes: readonly EndpointRoute[]): LambdaHandler {
  const answerTo = createUnknownRouteAnswers(routes)
  return async ({ rawPath, headers, requestContext: { http } }) =>
    // API Gateway adds the CORS headers; a browser also needs a 2xx.
    isPreflight(http.method, headers) ? { statusCode: 204, headers: EVERY_ANSWER } : answerTo(rawPath)
}

function isPreflight(method: string, headers: Readonly<Record<string, string | undefined>>): boolean {
  return (
    method === "OPTIONS" &&
    headers.origin !== undefined &&
    headers["access-control-request-method"] !== undefined
  )
}

const isParameter = (segment: string | undefined) => segment?.startsWith("{") === true

/** Sorts the more specific path first: segment by segment, a literal before a parameter. */
function bySpecificity(left: readonly string[], right: readonly string[]): number {
  const differs = left.findIndex((segment, index) => isParameter(segment) !== isParameter(right[index]))
  if (differs === -1) return 0
  return isParameter(left[differs]) ? 1 : -1
}

/** Whether a path matches a route: each `{parameter}` matches one non-empty segment. */
function matches(route: readonly string[], path: readonly string[]): boolean {
  return (
    route.length === path.length &&
    route.every((segment, index) => (isParameter(segment) ? path[index] !== "" : segment === path[index]))
  )
}

function refuse(
  code: "not-found" | "method-not-allowed",
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): UnknownRouteAnswer {
  const problem = problemBody(code, detail)
  return {
    statusCode: problem.status,
    headers: { "content-type": PROBLEM_CONTENT_TYPE, ...EVERY_ANSWER, ...headers },
    body: JSON.stringify(problem),
  }
}
