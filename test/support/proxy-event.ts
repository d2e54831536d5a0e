import type { APIGatewayProxyEventV2, Context } from "aws-lambda"

export interface ProxyRequest {
  readonly method: string
  readonly path: string
  readonly pathParameters?: Readonly<Record<string, string>>
  readonly queryStringParameters?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Returns the event that API Gateway makes of a request, for a handler that is called without a gateway. */
export function proxyEvent(request: ProxyRequest): APIGatewayProxyEventV2 {
  const { method, path, pathParameters, queryStringParameters, headers = {}, body } = request
  return {
    version: "2.0",
    routeKey: `${method} ${path}`,
    rawPath: path,
    rawQueryString: "",
    headers,
    ...(pathParameters && { pathParameters }),
    ...(queryStringParameters && { queryStringParameters }),
    ...(body !== undefined && { body }),
    isBase64Encoded: false,
    requestContext: {
      accountId: "0",
      apiId: "local",
      domainName: "localhost",
      domainPrefix: "localhost",
      http: { method, path, protocol: "HTTP/1.1", sourceIp: "127.0.0.1", userAgent: "" },
      requestId: "request-1",
      routeKey: `${method} ${path}`,
      stage: "$default",
      time: "",
      timeEpoch: 0,
    },
  }
}

/** What Lambda passes to a handler besides the event. */
export const LAMBDA_CONTEXT: Context = {
  callbackWaitsForEmptyEventLoop: false,
  functionName: "test",
  functionVersion: "1",
  invokedFunctionArn: "",
  memoryLimitInMB: "128",
  awsRequestId: "request-1",
  logGroupName: "",
  logStreamName: "",
  getRemainingTimeInMillis: () => 30_000,
  done: () => undefined,
  fail: () => undefined,
  succeed: () => undefined,
}
