import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { MB } from "@sealway/kernel"
import { readBody } from "../read-body.ts"
import { matchesSignedHash } from "../verify-signature.ts"
import type { EmbeddedLambda } from "./embedded-lambda.ts"
import { FUNCTION_NAME } from "./function-configuration.ts"
import { LAMBDA_ERROR_STATUSES, LambdaError } from "./lambda-error.ts"
import { createFunction } from "./operations/create-function.ts"
import { filterLogEvents } from "./operations/filter-log-events.ts"
import { deleteFunction, getFunction, getFunctionConfiguration } from "./operations/function-details.ts"
import { invoke } from "./operations/invoke.ts"
import { createLogGroup, deleteLogGroup, putRetentionPolicy } from "./operations/log-groups.ts"
import type { LambdaOperation, LambdaResponse } from "./operations/operation.ts"

interface Route {
  readonly operation: LambdaOperation
  readonly maxBodyBytes: number
}

const FUNCTIONS_PATH = "/2015-03-31/functions"
const INVOKE_BYTES = 6_291_456
/** A 50 MB zip in base64, and the rest. */
const CREATE_BYTES = 70 * MB
const SMALL_BYTES = 64 * 1024

/** By method and the path after the function's name. */
const ROUTES: ReadonlyMap<string, Route> = new Map([
  ["GET ", { operation: getFunction, maxBodyBytes: SMALL_BYTES }],
  ["GET /configuration", { operation: getFunctionConfiguration, maxBodyBytes: SMALL_BYTES }],
  ["DELETE ", { operation: deleteFunction, maxBodyBytes: SMALL_BYTES }],
  ["POST /invocations", { operation: invoke, maxBodyBytes: INVOKE_BYTES }],
])
const CREATE: Route = { operation: createFunction, maxBodyBytes: CREATE_BYTES }
/** Operations of CloudWatch Logs, by the `x-amz-target` header. */
const LOGS_OPERATIONS: ReadonlyMap<string, LambdaOperation> = new Map([
  ["Logs_20140328.CreateLogGroup", createLogGroup],
  ["Logs_20140328.DeleteLogGroup", deleteLogGroup],
  ["Logs_20140328.FilterLogEvents", filterLogEvents],
  ["Logs_20140328.PutRetentionPolicy", putRetentionPolicy],
])

/**
 * Serves the AWS Lambda API (REST, 2015-03-31) and log groups of CloudWatch Logs (AWS JSON 1.1). It does not check
 * signatures, so put `admitSignedRequestsOnly` in front. Nothing of a request or an answer is logged.
 */
export function createLambdaServer(lambda: EmbeddedLambda): Server {
  return createServer({ requestTimeout: 60_000 }, async (request, response) => {
    response.setHeader("x-amzn-RequestId", randomUUID())
    try {
      send(response, await answer(request, lambda))
    } catch (error) {
      if (response.destroyed) return
      const { type, message } = error instanceof LambdaError ? error : internalFailure()
      if (!request.complete) response.setHeader("connection", "close")
      response.setHeader("x-amzn-ErrorType", type)
      // REST clients read the header and `Message`, JSON 1.1 clients the body.
      send(response, {
        status: logsOperation(request) === undefined ? LAMBDA_ERROR_STATUSES[type] : 400,
        body: { __type: type, message, Message: message, Type: "User" },
      })
    }
  })
}

async function answer(request: IncomingMessage, lambda: EmbeddedLambda): Promise<LambdaResponse> {
  const { route, functionName, query } = findRoute(request)
  const body = await readBody(request, route.maxBodyBytes)
  if (body === null) {
    throw new LambdaError(
      "RequestTooLargeException",
      `Request must be smaller than ${route.maxBodyBytes} bytes`,
    )
  }
  if (!matchesSignedHash(request.headers, body)) {
    throw new LambdaError("InvalidSignatureException", "The body is not the one that was signed.")
  }
  return route.operation({ functionName, headers: request.headers, query, body }, lambda)
}

function findRoute(request: IncomingMessage): { route: Route; functionName: string; query: URLSearchParams } {
  const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://lambda")
  const found = (route: Route, functionName = "") => ({ route, functionName, query })
  const logs = logsOperation(request)
  if (logs !== undefined && pathname === "/" && request.method === "POST") {
    return found({ operation: logs, maxBodyBytes: SMALL_BYTES })
  }
  if (request.method === "POST" && pathname === FUNCTIONS_PATH) return found(CREATE)
  const [, name, rest = ""] = /^\/2015-03-31\/functions\/([^/]+)(\/[a-z]+)?$/.exec(pathname) ?? []
  const route = ROUTES.get(`${request.method} ${rest}`)
  if (name === undefined || route === undefined) {
    throw new LambdaError("UnknownOperationException", "The embedded Lambda does not offer this operation.")
  }
  return found(route, functionNameOf(name))
}

/** Returns the function name, or the name at the end of an ARN. */
function functionNameOf(segment: string): string {
  const name = segment.replaceAll("%3A", ":").replace(/^arn:aws:lambda:[a-z0-9-]+:\d{12}:function:/, "")
  if (!FUNCTION_NAME.test(name)) {
    throw new LambdaError("InvalidParameterValueException", "The function's name is not valid.")
  }
  return name
}

/** Returns the operation of CloudWatch Logs that a request asks for; undefined for any other request. */
function logsOperation({ headers }: IncomingMessage): LambdaOperation | undefined {
  return LOGS_OPERATIONS.get(String(headers["x-amz-target"] ?? ""))
}

function send(response: ServerResponse, { status, headers = {}, body, sent }: LambdaResponse): void {
  if (sent !== undefined) {
    if (response.destroyed) sent()
    else response.once("close", sent)
  }
  if (body === null) response.writeHead(status, headers).end()
  else {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body))
  }
}

function internalFailure(): LambdaError {
  return new LambdaError("ServiceException", "The embedded Lambda failed. Check that its folder is writable.")
}
