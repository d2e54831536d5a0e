import { isUtf8 } from "node:buffer"
import { MIMEType } from "node:util"
import {
  InvalidRequestError,
  jsonProblem,
  MAX_JSON_DEPTH,
  PayloadTooLargeError,
  parseStrictJson,
  UnsupportedMediaTypeError,
} from "@sealway/kernel"
import type { APIGatewayProxyEventV2 } from "aws-lambda"
import { MAX_FILE_BYTES, MAX_JSON_BYTES } from "./body-limits.ts"
import type { Hosting } from "./configuration.ts"
import { type BodyDeclaration, type Document, type DocumentFormat, MEDIA_TYPES } from "./endpoint.ts"

/** A body whose type and size have been found good, and which has not been decoded yet. */
export interface AcceptedBody {
  readonly format: DocumentFormat
  decode(): Buffer
}

/**
 * Checks what can be checked without touching the body: its media type and its size.
 *
 * @throws UnsupportedMediaTypeError, PayloadTooLargeError
 */
export function acceptBody(
  event: APIGatewayProxyEventV2,
  declared: BodyDeclaration,
  hosting: Hosting,
): AcceptedBody | null {
  if (declared.kind === "none") return null
  const { body = "", isBase64Encoded, headers } = event
  const formats = declared.kind === "document" ? declared.formats : (["json"] as const)
  const format = formatOf(headers["content-type"], formats)
  if (headers["content-encoding"] !== undefined && headers["content-encoding"].toLowerCase() !== "identity") {
    throw new UnsupportedMediaTypeError("Compressed request bodies are not taken; send the body as it is.")
  }
  const bytes = isBase64Encoded ? Buffer.byteLength(body, "base64") : Buffer.byteLength(body)
  if (declared.kind === "object" && bytes > declared.maxBytes) {
    throw new PayloadTooLargeError(`The body is larger than ${declared.maxBytes} bytes.`)
  }
  if (format === "json" && bytes > MAX_JSON_BYTES) {
    throw new PayloadTooLargeError("The JSON document is larger than 5 MB.")
  }
  if (format === "bytes" && bytes > MAX_FILE_BYTES[hosting]) {
    throw new PayloadTooLargeError(
      "The file is too large: up to 4.5 MB are taken behind API Gateway, and up to 25 MB by the container service.",
    )
  }
  return { format, decode: () => Buffer.from(body, isBase64Encoded ? "base64" : "utf8") }
}

/** @throws InvalidRequestError when the body is empty, or is to be JSON and is not UTF-8 */
export function readDocument(accepted: AcceptedBody): Document {
  const bytes = accepted.decode()
  if (bytes.length === 0) throw new InvalidRequestError("The body is empty.")
  if (accepted.format === "json" && !isUtf8(bytes))
    throw new InvalidRequestError("The body is not valid UTF-8.")
  return { format: accepted.format, bytes }
}

/** @throws InvalidRequestError when the body is not one JSON text, nests too deep or is ambiguous */
export function readParameters(accepted: AcceptedBody): unknown {
  const { bytes } = readDocument(accepted)
  try {
    return parseStrictJson(bytes, MAX_JSON_DEPTH)
  } catch (error) {
    throw jsonProblem(error)
  }
}

function formatOf(contentType: string | undefined, formats: readonly DocumentFormat[]): DocumentFormat {
  const format = contentType === undefined ? null : parseFormat(contentType)
  if (format === null || !formats.includes(format)) {
    const wanted = formats.map((each) => MEDIA_TYPES[each])
    throw new UnsupportedMediaTypeError(`Content-Type is to be ${wanted.join(" or ")}, JSON in UTF-8.`)
  }
  return format
}

function parseFormat(contentType: string): DocumentFormat | null {
  if (contentType === MEDIA_TYPES.json) return "json"
  let type: MIMEType
  try {
    type = new MIMEType(contentType)
  } catch {
    return null
  }
  if (type.essence === MEDIA_TYPES.bytes) return "bytes"
  const charset = type.params.get("charset")
  if (charset !== null && charset.toLowerCase() !== "utf-8") return null
  return type.essence === MEDIA_TYPES.json || /^application\/.+\+json$/.test(type.essence) ? "json" : null
}
