import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { MaybePromise } from "@sealway/kernel"
import { admitSignedRequestsOnly } from "./admit-signed-requests.ts"
import { closeServer, listenOnLoopback, type RunningService } from "./loopback-server.ts"
import { readBody } from "./read-body.ts"
import { matchesSignedHash, type VerifySignature } from "./verify-signature.ts"

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** An answer of an AWS JSON API. */
export interface Reply {
  readonly status: number
  readonly body: Uint8Array | string
}

/** An embedded service that speaks AWS JSON 1.0 or 1.1. */
export interface AwsJsonService {
  /** As messages call it, for example `KMS`. */
  readonly name: string
  readonly contentType: "application/x-amz-json-1.0" | "application/x-amz-json-1.1"
  readonly maxBodyBytes: number
  /** The error's type for a larger body. Default: `RequestEntityTooLargeException`. */
  readonly tooLargeType?: string
  /**
   * Answers a request. Reports what the service refuses as a reply; if it throws, the answer is `failure`.
   *
   * @param target the operation, for example `TrentService.Encrypt`
   * @param signal aborted when the client goes away
   * @returns null for an operation that is not offered
   */
  answer(target: string, body: string, signal: AbortSignal): MaybePromise<Reply | null>
  /** The answer to a failure of the service. It reveals no details. */
  readonly failure: Reply
}

/** A service that answers signed requests at its endpoint. */
export interface RunningJsonService extends RunningService {
  /** Answers requests of this process. */
  readonly service: AwsJsonService
}

/** Starts to serve an AWS JSON API. Nothing of a request or an answer is logged. */
export async function serveAwsJson(
  service: AwsJsonService,
  verify: VerifySignature,
): Promise<RunningJsonService> {
  const server = createAwsJsonServer(service)
  admitSignedRequestsOnly(server, verify)
  const endpoint = await listenOnLoopback(server)
  return { endpoint, service, close: () => closeServer(server) }
}

function createAwsJsonServer(service: AwsJsonService): Server {
  return createServer({ requestTimeout: 10_000 }, async (request, response) => {
    try {
      send(request, response, await answer(request, response, service), service)
    } catch {
      if (!response.destroyed) send(request, response, service.failure, service)
    }
  })
}

/** Answers a request that may be trusted. Never rejects. */
export async function answerTarget(
  service: AwsJsonService,
  target: string,
  body: string,
  signal: AbortSignal,
): Promise<Reply> {
  try {
    return (await service.answer(target, body, signal)) ?? unknownOperation(service)
  } catch {
    return service.failure
  }
}

/** Builds the reply `{"__type", "message"}`. */
export function errorReply(status: number, type: string, message: string): Reply {
  return { status, body: JSON.stringify({ __type: type, message }) }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  service: AwsJsonService,
): Promise<Reply> {
  const { "x-amz-target": target, "content-type": contentType } = request.headers
  if (request.method !== "POST" || contentType !== service.contentType || typeof target !== "string") {
    return unknownOperation(service)
  }
  const body = await readBody(request, service.maxBodyBytes)
  if (body === null) {
    return errorReply(
      413,
      service.tooLargeType ?? "RequestEntityTooLargeException",
      "The request is too large.",
    )
  }
  if (!matchesSignedHash(request.headers, body)) {
    return errorReply(400, "InvalidSignatureException", "The body is not the one that was signed.")
  }
  const text = decode(body)
  if (text === null) return errorReply(400, "SerializationException", "The body is not UTF-8.")
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  return answerTarget(service, target, text, gone.signal)
}

function unknownOperation({ name }: AwsJsonService): Reply {
  const message = `The embedded ${name} does not offer this operation.`
  return errorReply(400, "UnknownOperationException", message)
}

function decode(body: Uint8Array): string | null {
  try {
    return UTF8.decode(body)
  } catch {
    return null
  }
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: Reply,
  { contentType }: AwsJsonService,
): void {
  // What was not read of a request would be taken for the next one.
  if (!request.complete) response.setHeader("connection", "close")
  response.setHeader("x-amzn-RequestId", randomUUID())
  response.writeHead(status, { "content-type": contentType }).end(body)
}
