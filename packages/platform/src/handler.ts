import middy, { type MiddlewareObj } from "@middy/core"
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda"
import type * as z from "zod"
import { authenticate } from "./authentication.ts"
import type { Hosting } from "./configuration.ts"
import type { Directory } from "./directory.ts"
import type { Document, Endpoint, EndpointRequest } from "./endpoint.ts"
import type { Log } from "./logger.ts"
import { problemResponse, schemaProblem, toSealwayError } from "./problems.ts"
import { type AcceptedBody, acceptBody, readDocument, readParameters } from "./read-body.ts"
import { writeReply } from "./write-reply.ts"

/** What every handler stands on. */
export interface HandlerPlatform {
  readonly directory: Directory
  readonly hosting: Hosting
  readonly log: Log
}

export type LambdaHandler = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>

/** One request on its way through the middlewares: each fills in what the next ones need. */
interface Exchange {
  readonly event: APIGatewayProxyEventV2
  acceptedBody: AcceptedBody | null
  principal: unknown
  body: Document | object | null
  path: unknown
  headers: unknown
}

/**
 * middy would race every request against a timer. Waiting is bounded already, by the time-outs of the AWS clients,
 * and computing is not stopped by a timer.
 */
const NO_TIMER = { timeoutEarlyInMillis: 0 }

type ExchangeMiddleware = MiddlewareObj<Exchange, APIGatewayProxyStructuredResultV2>

/**
 * The Lambda handler of an endpoint, for API Gateway's payload format 2.0. The order is the defence: what costs
 * nothing to refuse goes first, and nobody's body is decoded before it is known whose it is.
 */
export function createHandler<Dependencies>(
  endpoint: Endpoint<Dependencies>,
  dependencies: Dependencies,
  platform: HandlerPlatform,
): LambdaHandler {
  const pipeline = middy<Exchange, APIGatewayProxyStructuredResultV2>(NO_TIMER)
    .use(answerProblems(endpoint, platform.log))
    .use(limitBody(endpoint, platform.hosting))
    .use(identifyCaller(endpoint, platform.directory))
    .use(readRequest(endpoint))
    .handler(async ({ principal, path, headers, body }) => {
      const request: EndpointRequest<unknown, unknown, unknown, Document | object | null> = {
        principal,
        path,
        headers,
        body,
      }
      const reply = await endpoint.answer(request, dependencies)
      return writeReply(endpoint.status, reply, platform.hosting)
    })
  return (event, context) =>
    pipeline({ event, acceptedBody: null, principal: null, body: null, path: null, headers: null }, context)
}

function answerProblems<Dependencies>(endpoint: Endpoint<Dependencies>, log: Log): ExchangeMiddleware {
  return {
    onError(exchange) {
      const error = toSealwayError(exchange.error)
      const response = problemResponse(error)
      const fields = {
        requestId: exchange.event.event.requestContext.requestId,
        endpoint: endpoint.id,
        code: error.code,
        status: response.statusCode ?? 500,
      }
      if (fields.status >= 500) log.error("request failed", { ...fields, error: error.cause })
      else log.info("request refused", fields)
      exchange.response = response
    },
  }
}

function limitBody<Dependencies>(endpoint: Endpoint<Dependencies>, hosting: Hosting): ExchangeMiddleware {
  return {
    before({ event: exchange }) {
      exchange.acceptedBody = acceptBody(exchange.event, endpoint.request.body, hosting)
    },
  }
}

function identifyCaller<Dependencies>(
  endpoint: Endpoint<Dependencies>,
  directory: Directory,
): ExchangeMiddleware {
  return {
    async before({ event: exchange }) {
      if (endpoint.auth.length === 0) return
      exchange.principal = await authenticate(endpoint.auth, exchange.event.headers, directory)
    },
  }
}

function readRequest<Dependencies>(endpoint: Endpoint<Dependencies>): ExchangeMiddleware {
  const { path, headers, body } = endpoint.request
  return {
    before({ event: exchange }) {
      exchange.path = parse(path, exchange.event.pathParameters ?? {}, "/path")
      exchange.headers = parse(headers, exchange.event.headers, "/headers")
      if (exchange.acceptedBody === null) return
      exchange.body =
        body.kind === "object"
          ? parse(body.schema, readParameters(exchange.acceptedBody), "")
          : readDocument(exchange.acceptedBody)
    },
  }
}

function parse<Value>(
  schema: { safeParse(value: unknown): z.ZodSafeParseResult<Value> },
  value: unknown,
  place: "" | "/path" | "/headers",
): Value {
  const result = schema.safeParse(value)
  if (!result.success) throw schemaProblem(result.error, place)
  return result.data
}
