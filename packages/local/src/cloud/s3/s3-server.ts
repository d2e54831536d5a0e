import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { MB } from "@sealway/kernel"
import { readBody } from "../read-body.ts"
import { matchesSignedHash } from "../verify-signature.ts"
import type { ObjectStore, StoredObject } from "./object-store.ts"
import { S3_ERRORS, S3Error } from "./s3-error.ts"

/** More than any deployed code. */
const MAX_OBJECT_BYTES = 64 * MB
const META = "x-amz-meta-"
/** S3's bucket names. A name is also a folder name, and must not lead elsewhere. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

interface Target {
  readonly bucket: string
  /** Empty: the bucket itself. */
  readonly key: string
}

/**
 * Serves the part of the S3 API that is used, with the bucket in the path: creating and deleting buckets; putting,
 * getting and deleting objects. It does not check signatures, so put `admitSignedRequestsOnly` in front. Nothing of a
 * request is logged.
 */
export function createS3Server(store: ObjectStore): Server {
  return createServer({ requestTimeout: 30_000 }, async (request, response) => {
    try {
      await answer(request, response, store)
    } catch (error) {
      if (response.destroyed) return
      const { code, message } = error instanceof S3Error ? error : new S3Error("InternalError")
      if (!request.complete) response.setHeader("connection", "close")
      response.writeHead(S3_ERRORS[code].status, { "content-type": "application/xml" })
      response.end(
        `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
      )
    }
  })
}

async function answer(request: IncomingMessage, response: ServerResponse, store: ObjectStore): Promise<void> {
  const { bucket, key } = parseTarget(request.url ?? "")
  switch (`${request.method} ${key === "" ? "bucket" : "object"}`) {
    case "PUT bucket":
      await readSignedBody(request)
      await store.createBucket(bucket)
      return void response.writeHead(200).end()
    case "DELETE bucket":
      await store.deleteBucket(bucket)
      return void response.writeHead(204).end()
    case "PUT object":
      await store.put(bucket, key, await readObject(request))
      return void response.writeHead(200).end()
    case "GET object":
      return sendObject(response, await store.get(bucket, key))
    case "DELETE object":
      await store.remove(bucket, key)
      return void response.writeHead(204).end()
    default:
      throw new S3Error("NotImplemented")
  }
}

function parseTarget(url: string): Target {
  const [path = "", query = ""] = url.split("?", 2)
  // The SDK puts the operation's name there; anything else asks for an unsupported one.
  if ([...new URLSearchParams(query).keys()].some((name) => name !== "x-id")) {
    throw new S3Error("NotImplemented")
  }
  const [, bucket = "", ...rest] = path.split("/")
  if (!BUCKET.test(bucket)) throw new S3Error("InvalidBucketName")
  try {
    return { bucket, key: decodeURIComponent(rest.join("/")) }
  } catch (error) {
    throw new S3Error("InvalidURI", { cause: error })
  }
}

async function readSignedBody(request: IncomingMessage): Promise<Buffer> {
  const body = await readBody(request, MAX_OBJECT_BYTES)
  if (body === null) throw new S3Error("EntityTooLarge")
  if (!matchesSignedHash(request.headers, body)) throw new S3Error("BadDigest")
  return body
}

async function readObject(request: IncomingMessage): Promise<StoredObject> {
  const { headers } = request
  // For example a copy of another object, or a conditional request.
  if (["x-amz-copy-source", "if-match", "if-none-match"].some((name) => name in headers)) {
    throw new S3Error("NotImplemented")
  }
  const metadata = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith(META) && typeof value === "string" ? [[name.slice(META.length), value]] : [],
    ),
  )
  const contentType = headers["content-type"] ?? "application/octet-stream"
  return { contentType, metadata, bytes: await readSignedBody(request) }
}

function sendObject(response: ServerResponse, { contentType, metadata, bytes }: StoredObject): void {
  const named = Object.entries(metadata).map(([name, value]) => [META + name, value])
  response.writeHead(200, {
    ...Object.fromEntries(named),
    "content-type": contentType,
    "content-length": bytes.length,
  })
  response.end(bytes)
}
