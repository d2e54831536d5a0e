import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { matchesSignedHash } from "../verify-signature.ts"
import type { KeyStore } from "./key-store.ts"
import { KMS_ERROR_STATUSES, KmsError } from "./kms-error.ts"
import { KMS_OPERATIONS } from "./operations/index.ts"
import { readBody } from "./read-body.ts"
import type { RequestMembers } from "./request-members.ts"

const CONTENT_TYPE = "application/x-amz-json-1.1"

/** The largest valid request: 6 KiB of ciphertext in base64 and 8 Ki characters of context, each escaped in JSON. */
const MAX_BODY_BYTES = 64 * 1024

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/**
 * Serves the AWS KMS API (AWS JSON 1.1). It does not check signatures, so put `admitSignedRequestsOnly` in front.
 * Nothing of a request or an answer is logged.
 */
export function createKmsServer(keys: KeyStore): Server {
  return createServer({ requestTimeout: 10_000 }, async (request, response) => {
    response.setHeader("x-amzn-RequestId", randomUUID())
    try {
      send(response, 200, await answer(request, keys))
    } catch (error) {
      if (response.destroyed) return
      const { type, message } = error instanceof KmsError ? error : internalFailure()
      if (!request.complete) response.setHeader("connection", "close")
      send(response, KMS_ERROR_STATUSES[type], { __type: type, message })
    }
  })
}

async function answer(request: IncomingMessage, keys: KeyStore): Promise<object | null> {
  const { "x-amz-target": target, "content-type": contentType } = request.headers
  const operation = typeof target === "string" ? KMS_OPERATIONS.get(target) : undefined
  if (operation === undefined || request.method !== "POST" || contentType !== CONTENT_TYPE) {
    throw new KmsError("UnknownOperationException", "The embedded KMS does not offer this operation.")
  }
  const body = await readBody(request, MAX_BODY_BYTES)
  if (body === null) throw new KmsError("RequestEntityTooLargeException", "The request is too large.")
  if (!matchesSignedHash(request.headers, body)) {
    throw new KmsError("InvalidSignatureException", "The body is not the one that was signed.")
  }
  return operation(parseMembers(body), keys)
}

function parseMembers(body: Buffer): RequestMembers {
  const value = parseJson(body)
  if (!isObject(value)) throw new KmsError("SerializationException", "The body is not a JSON object.")
  return value
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(UTF8.decode(body))
  } catch {
    // The parser's own message quotes the body.
    throw new KmsError("SerializationException", "The body is not JSON in UTF-8.")
  }
}

function isObject(value: unknown): value is RequestMembers {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function send(response: ServerResponse, status: number, body: object | null): void {
  response.writeHead(status, { "content-type": CONTENT_TYPE })
  response.end(body === null ? "" : JSON.stringify(body))
}

function internalFailure(): KmsError {
  return new KmsError("KMSInternalException", "The embedded KMS failed. Check that its folder is writable.")
}
