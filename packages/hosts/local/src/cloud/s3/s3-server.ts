import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { pipeline } from "node:stream/promises"
import { discardBody } from "@sealway/http/ingress"
import { MB } from "@sealway/kernel"
import type { ObjectStore, OpenObject, UploadName } from "./object-store.ts"
import { S3_ERRORS, S3Error } from "./s3-error.ts"

/** S3's limits of an upload. */
const MAX_PARTS = 10_000
const MAX_PART_BYTES = 5 * 1024 * MB
/** How long a sender has to notice that its body is refused. */
const LINGER_MS = 1_000
/** The signature, and what is signed with it. */
const OF_SIGNATURE = /^x-amz-/i
const RANGE = /^bytes=(?<start>\d*)-(?<end>\d*)$/

/**
 * Serves the two URLs of S3 that outsiders get, with the bucket in the path: one accepts a part of an upload, the other
 * serves an object. Nothing of a request is logged.
 *
 * @param verify throws S3Error for what the service has not signed. Listening on loopback keeps out other machines, but
 * neither this machine's other users nor web pages: a browser reaches 127.0.0.1 too
 */
export function createS3Server(
  store: Pick<ObjectStore, "open" | "putPart">,
  verify: (request: IncomingMessage) => Promise<void>,
): Server {
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await verify(request)
      if (request.headers.expect !== undefined) response.writeContinue()
      await answer(request, response, store)
    } catch (error) {
      if (response.destroyed) return
      // The client can tell by the length that something is missing.
      if (response.headersSent) return void response.destroy()
      const { code, message } = error instanceof S3Error ? error : new S3Error("InternalError")
      const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`
      response.writeHead(S3_ERRORS[code].status, {
        "content-type": "application/xml",
        "content-length": xml.length,
        ...(!request.complete && { connection: "close" }),
      })
      response.write(xml)
      if (request.complete) response.end()
      // Closing the connection before would take the answer from the sender.
      else discardBody(request, LINGER_MS, () => response.end())
    }
  }
  // A part of a file may take long to arrive; the gateway in front watches for stalls.
  const server = createServer({ requestTimeout: 600_000 }, serve)
  // The client waits with the body, which may be large: a refusal comes before it.
  return server.on("checkContinue", serve)
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  store: Pick<ObjectStore, "open" | "putPart">,
): Promise<void> {
  const { bucket, key, parameters } = parseTarget(request.url ?? "")
  const named = [...parameters.keys()].sort().join()
  switch (`${request.method} ${named}`.trim()) {
    case "GET":
      return sendObject(request, response, await store.open(bucket, key))
    case "PUT partNumber,uploadId": {
      const upload = { bucket, key, uploadId: parameters.get("uploadId") ?? "" }
      const etag = await putPart(request, store, upload, Number(parameters.get("partNumber")))
      return void response.writeHead(200, { etag: `"${etag}"` }).end()
    }
    default:
      throw new S3Error("NotImplemented")
  }
}

function parseTarget(url: string) {
  const [path = "", query = ""] = url.split("?", 2)
  const parameters = new URLSearchParams(query)
  for (const name of [...parameters.keys()]) if (OF_SIGNATURE.test(name)) parameters.delete(name)
  const [, bucket = "", ...rest] = path.split("/")
  try {
    return { bucket, key: decodeURIComponent(rest.join("/")), parameters }
  } catch (error) {
    throw new S3Error("InvalidURI", { cause: error })
  }
}

/** The body of a part is not signed: its length is, and the client compares the ETag. */
function putPart(
  request: IncomingMessage,
  store: Pick<ObjectStore, "putPart">,
  upload: UploadName,
  number: number,
): Promise<string> {
  const bytes = Number(request.headers["content-length"] ?? Number.NaN)
  if (!Number.isInteger(number) || number < 1 || number > MAX_PARTS) throw new S3Error("InvalidArgument")
  if (Number.isNaN(bytes)) throw new S3Error("MissingContentLength")
  if (bytes > MAX_PART_BYTES) throw new S3Error("EntityTooLarge")
  return store.putPart(upload, number, request)
}

async function sendObject(
  request: IncomingMessage,
  response: ServerResponse,
  { size, read }: OpenObject,
): Promise<void> {
  const range = rangeOf(request.headers.range, size)
  const { start, end } = range ?? { start: 0, end: size }
  response.writeHead(range === null ? 200 : 206, {
    "accept-ranges": "bytes",
    "content-type": "application/octet-stream",
    "content-length": end - start,
    ...(range !== null && { "content-range": `bytes ${start}-${end - 1}/${size}` }),
  })
  await pipeline(read(start, end), response)
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
