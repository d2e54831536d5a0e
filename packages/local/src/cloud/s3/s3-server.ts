import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { pipeline } from "node:stream/promises"
import { MB } from "@sealway/kernel"
import { discardBody } from "@sealway/platform/ingress"
import { readBody } from "../read-body.ts"
import { matchesSignedHash } from "../verify-signature.ts"
import type { NewObject, ObjectHead, ObjectStore, OpenObject, UploadName } from "./object-store.ts"
import { S3_ERRORS, S3Error } from "./s3-error.ts"
import { readPartList, writeNewUpload, writePartList, writeUploadedObject, XML_TYPE } from "./s3-xml.ts"

/** More than any deployed code. */
const MAX_OBJECT_BYTES = 64 * MB
/** The list of all parts of an upload. */
const MAX_LIST_BYTES = 4 * MB
/** S3's limits of an upload. */
const MAX_PARTS = 10_000
const MAX_PART_BYTES = 5 * 1024 * MB
/** How long a sender has to notice that its body is refused. */
const LINGER_MS = 1_000
const MAX_LISTED_PARTS = 1_000
const META = "x-amz-meta-"
/** S3's bucket names. A name is also a folder name, and must not lead elsewhere. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
/** The SDK puts the operation's name into `x-id`. */
const IGNORED_PARAMETERS = /^(?:x-id|x-amz-.*)$/i
const RANGE = /^bytes=(?<start>\d*)-(?<end>\d*)$/

interface Target {
  readonly bucket: string
  /** Empty: the bucket itself. */
  readonly key: string
  readonly parameters: URLSearchParams
}

/**
 * Serves the part of the S3 API that is used, with the bucket in the path: creating and deleting buckets; putting,
 * getting and deleting objects; uploads in parts. It does not check signatures, so put `admitSignedRequestsOnly` in
 * front. Nothing of a request is logged.
 */
export function createS3Server(store: ObjectStore): Server {
  // A part of a file may take long to arrive; the gateway in front watches for stalls.
  return createServer({ requestTimeout: 600_000 }, async (request, response) => {
    try {
      await answer(request, response, store)
    } catch (error) {
      if (response.destroyed) return
      // The client can tell by the length that something is missing.
      if (response.headersSent) return void response.destroy()
      const { code, message } = error instanceof S3Error ? error : new S3Error("InternalError")
      const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`
      response.writeHead(S3_ERRORS[code].status, {
        "content-type": XML_TYPE,
        "content-length": xml.length,
        ...(!request.complete && { connection: "close" }),
      })
      response.write(xml)
      if (request.complete) response.end()
      // Closing the connection before would take the answer from the sender.
      else discardBody(request, LINGER_MS, () => response.end())
    }
  })
}

async function answer(request: IncomingMessage, response: ServerResponse, store: ObjectStore): Promise<void> {
  const { bucket, key, parameters } = parseTarget(request.url ?? "")
  const named = [...parameters.keys()].sort().join()
  const upload = { bucket, key, uploadId: parameters.get("uploadId") ?? "" }
  switch (`${request.method} ${key === "" ? "bucket" : "object"} ${named}`.trim()) {
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
    case "HEAD object":
    case "GET object":
      return sendObject(request, response, await store.open(bucket, key))
    case "DELETE object":
      await store.remove(bucket, key)
      return void response.writeHead(204).end()
    case "POST object uploads":
      return sendXml(
        response,
        writeNewUpload({ ...upload, uploadId: await createUpload(request, store, upload) }),
      )
    case "PUT object partNumber,uploadId":
      response.setHeader("etag", `"${await putPart(request, store, upload, parameters)}"`)
      return void response.writeHead(200).end()
    case "GET object uploadId":
    case "GET object max-parts,uploadId":
    case "GET object part-number-marker,uploadId":
    case "GET object max-parts,part-number-marker,uploadId":
      return sendXml(response, await listParts(store, upload, parameters))
    case "POST object uploadId": {
      const list = readPartList((await readSignedBody(request, MAX_LIST_BYTES)).toString())
      await store.completeUpload(upload, list)
      return sendXml(response, writeUploadedObject(upload))
    }
    case "DELETE object uploadId":
      await store.abortUpload(upload)
      return void response.writeHead(204).end()
    default:
      throw new S3Error("NotImplemented")
  }
}

function parseTarget(url: string): Target {
  const [path = "", query = ""] = url.split("?", 2)
  const parameters = new URLSearchParams(query)
  for (const name of [...parameters.keys()]) if (IGNORED_PARAMETERS.test(name)) parameters.delete(name)
  const [, bucket = "", ...rest] = path.split("/")
  if (!BUCKET.test(bucket)) throw new S3Error("InvalidBucketName")
  try {
    return { bucket, key: decodeURIComponent(rest.join("/")), parameters }
  } catch (error) {
    throw new S3Error("InvalidURI", { cause: error })
  }
}

async function readSignedBody(request: IncomingMessage, maxBytes = MAX_OBJECT_BYTES): Promise<Buffer> {
  const body = await readBody(request, maxBytes)
  if (body === null) throw new S3Error("EntityTooLarge")
  if (!matchesSignedHash(request.headers, body)) throw new S3Error("BadDigest")
  return body
}

async function readObject(request: IncomingMessage): Promise<NewObject> {
  return { ...readHead(request), bytes: await readSignedBody(request) }
}

function readHead({ headers }: IncomingMessage): ObjectHead {
  // For example a copy of another object, or a conditional request.
  if (["x-amz-copy-source", "if-match", "if-none-match"].some((name) => name in headers)) {
    throw new S3Error("NotImplemented")
  }
  const metadata = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith(META) && typeof value === "string" ? [[name.slice(META.length), value]] : [],
    ),
  )
  return { contentType: headers["content-type"] ?? "application/octet-stream", metadata }
}

async function createUpload(
  request: IncomingMessage,
  store: ObjectStore,
  { bucket, key }: UploadName,
): Promise<string> {
  await readSignedBody(request)
  return store.createUpload(bucket, key, readHead(request))
}

/** The body of a part is not signed: its length is, and the client compares the ETag. */
function putPart(
  request: IncomingMessage,
  store: ObjectStore,
  upload: UploadName,
  parameters: URLSearchParams,
): Promise<string> {
  readHead(request)
  const number = Number(parameters.get("partNumber"))
  const bytes = Number(request.headers["content-length"] ?? Number.NaN)
  if (!Number.isInteger(number) || number < 1 || number > MAX_PARTS) throw new S3Error("InvalidArgument")
  if (Number.isNaN(bytes)) throw new S3Error("MissingContentLength")
  if (bytes > MAX_PART_BYTES) throw new S3Error("EntityTooLarge")
  return store.putPart(upload, number, request)
}

async function listParts(store: ObjectStore, upload: UploadName, parameters: URLSearchParams) {
  const marker = Number(parameters.get("part-number-marker") ?? 0)
  const max = Math.min(Number(parameters.get("max-parts") ?? MAX_LISTED_PARTS), MAX_LISTED_PARTS)
  if (!Number.isInteger(marker) || !Number.isInteger(max) || max < 1) throw new S3Error("InvalidArgument")
  const parts = (await store.listParts(upload)).filter(({ number }) => number > marker)
  return writePartList(upload, parts.slice(0, max), parts.length > max)
}

function sendXml(response: ServerResponse, xml: string): void {
  response.writeHead(200, { "content-type": XML_TYPE }).end(xml)
}

async function sendObject(
  request: IncomingMessage,
  response: ServerResponse,
  { contentType, metadata, size, read }: OpenObject,
): Promise<void> {
  const named = Object.entries(metadata).map(([name, value]) => [META + name, value])
  const range = rangeOf(request.headers.range, size)
  const { start, end } = range ?? { start: 0, end: size }
  response.writeHead(range === null ? 200 : 206, {
    ...Object.fromEntries(named),
    "accept-ranges": "bytes",
    "content-type": contentType,
    "content-length": end - start,
    ...(range !== null && { "content-range": `bytes ${start}-${end - 1}/${size}` }),
  })
  if (request.method === "HEAD") response.end()
  else await pipeline(read(start, end), response)
}

/**
 * Reads a range (RFC 9110, section 14.1.2). Returns null for the whole object, as for several ranges and for anything
 * that is not a range, which S3 ignores too.
 */
function rangeOf(
  header: string | undefined,
  size: number,
): { readonly start: number; readonly end: number } | null {
  const { start = "", end = "" } = RANGE.exec(header ?? "")?.groups ?? {}
  if (start === "" && end === "") return null
  const range =
    start === ""
      ? { start: Math.max(0, size - Number(end)), end: size }
      : { start: Number(start), end: end === "" ? size : Math.min(size, Number(end) + 1) }
  if (range.start >= range.end) throw new S3Error("InvalidRange")
  return range
}
