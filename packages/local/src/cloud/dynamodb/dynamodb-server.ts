import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { MB } from "@sealway/kernel"
import { readBody } from "../kms/read-body.ts"
import { matchesSignedHash } from "../verify-signature.ts"
import type { DynamoDb } from "./dynamodb.ts"
import { CONTENT_TYPE, errorReply, internalFailure, type Reply } from "./reply.ts"

/** An item of 400 KB with each character escaped in JSON, and expressions. */
const MAX_BODY_BYTES = 4 * MB

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/**
 * Serves the DynamoDB API (AWS JSON 1.0) to other processes. It does not check signatures, so put
 * `admitSignedRequestsOnly` in front.
 */
export function createDynamoDbServer(dynamodb: DynamoDb): Server {
  return createServer({ requestTimeout: 10_000 }, async (request, response) => {
    try {
      send(request, response, await answer(request, dynamodb))
    } catch {
      if (!response.destroyed) send(request, response, internalFailure())
    }
  })
}

async function answer(request: IncomingMessage, dynamodb: DynamoDb): Promise<Reply> {
  const { "x-amz-target": target, "content-type": contentType } = request.headers
  if (request.method !== "POST" || contentType !== CONTENT_TYPE || typeof target !== "string") {
    return errorReply("UnknownOperationException", "The embedded DynamoDB does not offer this operation.")
  }
  const body = await readBody(request, MAX_BODY_BYTES)
  if (body === null) return errorReply("RequestEntityTooLarge", "The request is too large.")
  if (!matchesSignedHash(request.headers, body)) {
    return errorReply("InvalidSignatureException", "The body is not the one that was signed.")
  }
  const text = decode(body)
  if (text === null) return errorReply("SerializationException", "The body is not UTF-8.")
  return dynamodb.answer(target, text)
}

function decode(body: Uint8Array): string | null {
  try {
    return UTF8.decode(body)
  } catch {
    return null
  }
}

function send(request: IncomingMessage, response: ServerResponse, { status, body }: Reply): void {
  if (!request.complete) response.setHeader("connection", "close")
  response.setHeader("x-amzn-RequestId", randomUUID())
  response.writeHead(status, { "content-type": CONTENT_TYPE }).end(body)
}
