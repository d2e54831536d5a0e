import { isUtf8 } from "node:buffer"
import { MIMEType } from "node:util"
import {
  decodeBase64InSteps,
  encodeUtf8InSteps,
  InvalidRequestError,
  jsonProblem,
  MAX_JSON_DEPTH,
  type MaybePromise,
  PayloadTooLargeError,
  parseStrictJsonInSteps,
  reserveToParse,
  type Task,
  type Turns,
  UnsupportedMediaTypeError,
  type Work,
} from "@sealway/kernel"
import type { Hosting } from "@sealway/ports"
import { FILE_OVERHEAD_BYTES, isEncryptedFileInSteps } from "@sealway/tokens"
import type { HttpEvent } from "../http-event.ts"
import {
  MAX_FILE_BYTES,
  MAX_JSON_BYTES,
  MAX_LINES_BYTES,
  MAX_REPLY_BYTES,
  MAX_SEALED_JSON_BYTES,
} from "./body-limits.ts"
import {
  type BodyDeclaration,
  type Document,
  type DocumentFormat,
  FORM_MEDIA_TYPE,
  MEDIA_TYPES,
} from "./endpoint.ts"
import { jsonStringLength } from "./json-string-length.ts"

/** A body whose type and size were accepted, and which is not decoded yet. */
export interface AcceptedBody {
  readonly format: DocumentFormat | "form"
  /** The limit for a file that is not encrypted. */
  readonly maxFileBytes: number
  /** Decodes in steps. */
  decode(): Work<Buffer>
}

const FILE_TOO_LARGE =
  "The file is too large. The limit is 25 MB on the container service, and 4.5 million bytes behind API Gateway. A MB is 1,048,576 bytes."

/**
 * Checks the media type and size, which needs no look at the body.
 *
 * @throws UnsupportedMediaTypeError, PayloadTooLargeError
 */
export function acceptBody(
  event: HttpEvent,
  declared: BodyDeclaration | undefined,
  hosting: Hosting,
): AcceptedBody | null {
  if (declared === undefined) return null
  const { bodyBytes, body = "", isBase64Encoded, headers } = event
  if (bodyBytes === undefined && body === "" && declared.kind === "object" && declared.mayBeEmpty) {
    return { format: "json", maxFileBytes: 0, decode: () => encodeUtf8InSteps("{}") }
  }
  const format = formatOf(headers["content-type"], formatsOf(declared))
  if (headers["content-encoding"] !== undefined && headers["content-encoding"].toLowerCase() !== "identity") {
    throw new UnsupportedMediaTypeError(
      "Compressed request bodies are not supported. Send the body uncompressed.",
    )
  }
  const bytes = bodyBytes?.length ?? Buffer.byteLength(body, isBase64Encoded ? "base64" : "utf8")
  if (declared.kind !== "document" && bytes > declared.maxBytes) {
    throw new PayloadTooLargeError(`The body is larger than ${declared.maxBytes} bytes.`)
  }
  if (declared.kind === "document") requireFit(event, hosting)
  const maxJsonBytes =
    declared.kind === "document" && !declared.holdsTokens ? MAX_JSON_BYTES : MAX_SEALED_JSON_BYTES
  if (format === "json" && bytes > maxJsonBytes) {
    throw new PayloadTooLargeError(
      maxJsonBytes === MAX_JSON_BYTES
        ? "The JSON document is larger than 5 MB (5,242,880 bytes)."
        : `The JSON document is larger than ${maxJsonBytes} bytes, the size of the token of one 5 MB value. Split it into several requests.`,
    )
  }
  if (format === "lines" && bytes > MAX_LINES_BYTES) {
    throw new PayloadTooLargeError(
      `The lines have more than ${MAX_LINES_BYTES} bytes. Split them into several requests.`,
    )
  }
  const maxFileBytes = MAX_FILE_BYTES[hosting]
  if (format === "bytes" && bytes > maxFileBytes + FILE_OVERHEAD_BYTES) {
    throw new PayloadTooLargeError(FILE_TOO_LARGE)
  }
  return { format, maxFileBytes, decode: () => decodeInSteps(event) }
}

function* decodeInSteps({ bodyBytes, body = "", isBase64Encoded }: HttpEvent): Work<Buffer> {
  if (bodyBytes !== undefined) return bodyBytes
  return yield* isBase64Encoded ? decodeBase64InSteps(body) : encodeUtf8InSteps(body)
}

/**
 * Refuses what could not be returned once sealed, because it could not be sent again to be opened behind API Gateway.
 */
function requireFit({ body = "", isBase64Encoded }: HttpEvent, hosting: Hosting): void {
  const maxBytes = MAX_REPLY_BYTES[hosting]
  const length = isBase64Encoded ? body.length : jsonStringLength(body, maxBytes)
  if (length > maxBytes) {
    throw new PayloadTooLargeError("The body is larger than 6 MB, the limit behind API Gateway.")
  }
}

/**
 * Reads a document.
 *
 * @throws InvalidRequestError when the body must be JSON and is empty or not UTF-8
 * @throws PayloadTooLargeError when a file to encrypt is so large that it could not be opened again
 */
export function readDocument(accepted: AcceptedBody, turns: Turns): MaybePromise<Document> {
  return turns.run(readInSteps(accepted))
}

/**
 * Reads the fields of a form, as browsers encode it.
 *
 * @throws InvalidRequestError when it is not UTF-8, or a field occurs twice
 */
export async function readForm(
  { decode }: AcceptedBody,
  turns: Turns,
): Promise<Readonly<Record<string, string>>> {
  const bytes = await turns.run(decode())
  if (!isUtf8(bytes)) throw new InvalidRequestError("The body is not valid UTF-8.")
  const fields = [...new URLSearchParams(bytes.toString())]
  const names = new Set(fields.map(([name]) => name))
  if (names.size !== fields.length) throw new InvalidRequestError("A form field occurs twice.")
  return Object.fromEntries(fields)
}

function* readInSteps({ format, maxFileBytes, decode }: AcceptedBody): Work<Document> {
  if (format === "form") throw new TypeError("A form is no document")
  const bytes = yield* decode()
  if (format === "bytes") {
    const isTooLarge = bytes.length > maxFileBytes && !(yield* isEncryptedFileInSteps(bytes))
    if (isTooLarge) throw new PayloadTooLargeError(FILE_TOO_LARGE)
    return { format, bytes }
  }
  if (bytes.length === 0) throw new InvalidRequestError("The body is empty.")
  if (!isUtf8(bytes)) throw new InvalidRequestError("The body is not valid UTF-8.")
  return { format, bytes }
}

/**
 * Reads a JSON body.
 *
 * @throws InvalidRequestError when it is not exactly one JSON text, is nested too deep or is ambiguous
 */
export function readParameters(accepted: AcceptedBody, task: Task): MaybePromise<unknown> {
  return task.run(parseInSteps(accepted, task))
}

function* parseInSteps(accepted: AcceptedBody, task: Task): Work<unknown> {
  const { bytes } = yield* readInSteps(accepted)
  yield* reserveToParse(bytes, task)
  try {
    return yield* parseStrictJsonInSteps(bytes, MAX_JSON_DEPTH)
  } catch (error) {
    throw jsonProblem(error)
  }
}

type BodyFormat = AcceptedBody["format"]

function formatsOf(declared: BodyDeclaration): readonly BodyFormat[] {
  if (declared.kind === "document") return declared.formats
  return [declared.kind === "form" ? "form" : "json"]
}

function formatOf(contentType: string | undefined, formats: readonly BodyFormat[]): BodyFormat {
  const format = contentType === undefined ? null : parseFormat(contentType)
  if (format === null || !formats.includes(format)) {
    const wanted = formats.map((each) => (each === "form" ? FORM_MEDIA_TYPE : MEDIA_TYPES[each]))
    throw new UnsupportedMediaTypeError(
      `Content-Type must be ${wanted.join(" or ")}, and JSON must be in UTF-8.`,
    )
  }
  return format
}

function parseFormat(contentType: string): BodyFormat | null {
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
  if (type.essence === MEDIA_TYPES.lines) return "lines"
  if (type.essence === FORM_MEDIA_TYPE) return "form"
  return type.essence === MEDIA_TYPES.json || /^application\/.+\+json$/.test(type.essence) ? "json" : null
}
