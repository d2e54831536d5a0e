import type { HttpEvent } from "@sealway/http"
import type { EventBody } from "./event-body.ts"
import type { Exchange } from "./exchange.ts"
import { parseQueryParameters } from "./query-parameters.ts"
import type { RequestTarget } from "./request-target.ts"
import type { MatchedRoute } from "./route-table.ts"

/** What is known about a request since its head arrived. */
export interface RoutedRequest {
  readonly target: RequestTarget
  readonly match: MatchedRoute
  readonly eventBody: EventBody
  readonly timeEpochMs: number
  /** The same as `12/Mar/2020:19:03:58 +0000`. */
  readonly time: string
}

/** The identity of the only API of a gateway. A caller's Host header must not choose it. */
const API = {
  accountId: "000000000000",
  apiId: "local",
  domainName: "localhost",
  domainPrefix: "localhost",
  stage: "$default",
} as const

/**
 * Builds the event of a request in payload format 2.0 ("Create AWS Lambda proxy integrations for HTTP APIs in API
 * Gateway"). Fields without a value are absent, as in Lambda's own JSON.
 */
export function createProxyEvent(
  { request, connection, headers, requestId }: Exchange,
  { target, match, eventBody, timeEpochMs, time }: RoutedRequest,
): HttpEvent {
  const event: HttpEvent = {
    version: "2.0",
    routeKey: match.routeKey,
    rawPath: target.rawPath,
    rawQueryString: target.rawQueryString,
    headers: headers.fields,
    requestContext: {
      accountId: API.accountId,
      apiId: API.apiId,
      domainName: API.domainName,
      domainPrefix: API.domainPrefix,
      http: {
        method: request.method ?? "",
        path: target.rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        // X-Forwarded-For is an ordinary header and has no effect on this.
        sourceIp: connection.context.sourceIp,
        userAgent: headers.fields["user-agent"] ?? "",
      },
      requestId,
      routeKey: match.routeKey,
      stage: API.stage,
      time,
      timeEpoch: timeEpochMs,
    },
    ...eventBody,
  }
  const queryStringParameters = parseQueryParameters(target.rawQueryString)
  if (headers.cookies !== undefined) event.cookies = headers.cookies
  if (queryStringParameters !== undefined) event.queryStringParameters = queryStringParameters
  if (match.pathParameters !== undefined) event.pathParameters = match.pathParameters
  return event
}
