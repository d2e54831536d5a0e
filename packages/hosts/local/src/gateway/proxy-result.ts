import { type ApiErrorCode, decodeBase64InSteps, finish, type Work } from "@sealway/kernel"
import { isPayloadLargerThan, MAX_JSON_BYTES_PER_CODE_UNIT, mayBeLargerThan } from "./payload-size.ts"

/** A handler's answer that API Gateway would not understand. The caller only learns that something failed. */
export class InvalidResultError extends Error {
  override readonly name = "InvalidResultError"
}

/** A handler's answer as it is sent. */
export interface ProxyResponse {
  readonly statusCode: number
  /** Lower-case name to value, without Set-Cookie and headers about the connection. */
  readonly headers: ReadonlyMap<string, string>
  /** Values of Set-Cookie headers. */
  readonly cookies: readonly string[]
  readonly body: string | Buffer
  /** The code of a problem with which the gateway itself refuses the request. Absent in a handler's answer. */
  readonly refusal?: ApiErrorCode
}

/**
 * Parses a handler's result in payload format 2.0. Without `statusCode` it is the body itself: JSON with status 200, or
 * a string unchanged. With one, the body is text unless marked as base64, and without a declared type `text/plain;
 * charset=utf-8`. A handler in this process may return bytes as `bodyBytes`. `multiValueHeaders` belongs to format 1.0
 * and is ignored. (Documented in "Create AWS Lambda proxy integrations for HTTP APIs in API Gateway"; the rest as
 * observed on a live API by AWS's own emulator, github.com/aws/aws-lambda-dotnet, `Tools/LambdaTestTool-v2`.)
 *
 * @throws InvalidResultError when it is neither, or is larger than `maxBytes` as JSON
 */
export function readProxyResult(result: unknown, maxBytes: number): ProxyResponse {
  return finish(readProxyResultInSteps(result, maxBytes))
}

/** `readProxyResult`, in steps. */
export function* readProxyResultInSteps(result: unknown, maxBytes: number): Work<ProxyResponse> {
  if (!isRecord(result) || result.statusCode === undefined) return inferResponse(result, maxBytes)
  const { statusCode } = result
  const { bodyBytes } = result
  const body = result.body ?? ""
  const isBase64Encoded = result.isBase64Encoded ?? false
  if (!isFinalStatus(statusCode)) throw new InvalidResultError("statusCode is not an integer from 200 to 599")
  if (typeof body !== "string") throw new InvalidResultError("body is not a string")
  if (bodyBytes !== undefined && !Buffer.isBuffer(bodyBytes)) {
    throw new InvalidResultError("bodyBytes is not a buffer")
  }
  if (typeof isBase64Encoded !== "boolean") throw new InvalidResultError("isBase64Encoded is not a boolean")
  const cookies = readCookies(result.cookies)
  const headers = readHeaders(result.headers, cookies)
  const payload = { statusCode, headers: result.headers, cookies, body, bodyBytes, isBase64Encoded }
  const isNearLimit = mayBeLargerThan(maxBytes, payload, othersAtMostBytes(headers, cookies))
  if (isNearLimit && (yield* isPayloadLargerThan(maxBytes, payload))) throw tooLarge(maxBytes)
  if (!headers.has("content-type") && !isBodyless(statusCode))
    headers.set("content-type", "text/plain; charset=utf-8")
  const received = bodyBytes ?? (isBase64Encoded ? yield* decodeBase64(body) : body)
  return { statusCode, headers, cookies, body: received }
}

/** Whether a response with this status never has a body (RFC 9110, sections 15.3.5 and 15.4.5). */
export function isBodyless(statusCode: number): boolean {
  return statusCode === 204 || statusCode === 304
}

function isFinalStatus(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599
}

function inferResponse(result: unknown, maxBytes: number): ProxyResponse {
  const body = typeof result === "string" ? result : (JSON.stringify(result) ?? "null")
  if (Buffer.byteLength(body) > maxBytes) throw tooLarge(maxBytes)
  return { statusCode: 200, headers: new Map([["content-type", "application/json"]]), cookies: [], body }
}

function tooLarge(maxBytes: number): InvalidResultError {
  return new InvalidResultError(`The result is larger than ${maxBytes} bytes`)
}

/**
 * Headers about the connection between caller and gateway (RFC 9110, section 7.6.1), and the length, which the gateway
 * sets.
 */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
])

function readHeaders(value: unknown, cookies: string[]): Map<string, string> {
  const headers = new Map<string, string>()
  if (value === undefined || value === null) return headers
  if (!isRecord(value)) throw new InvalidResultError("headers is not an object")
  for (const mixedCaseName of Object.keys(value)) {
    const field = value[mixedCaseName]
    if (field === undefined || field === null) continue
    if (typeof field !== "string" && typeof field !== "number" && typeof field !== "boolean") {
      throw new InvalidResultError("A header is not a string, number or boolean")
    }
    const name = mixedCaseName.toLowerCase()
    const earlier = headers.get(name)
    if (name === "set-cookie") cookies.push(String(field))
    else if (!CONNECTION_HEADERS.has(name))
      headers.set(name, earlier === undefined ? String(field) : `${earlier},${field}`)
  }
  return headers
}

function readCookies(value: unknown): string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || !value.every((cookie) => typeof cookie === "string")) {
    throw new InvalidResultError("cookies is not an array of strings")
  }
  return [...value]
}

function* decodeBase64(text: string): Work<Buffer> {
  const bytes = yield* decodeBase64InSteps(text)
  // The decoder skips what is not base64, so the result would be shorter than the text implies.
  if (bytes.length !== Buffer.byteLength(text, "base64")) throw new InvalidResultError("body is not base64")
  return bytes
}

const STATUS_AND_PUNCTUATION_BYTES = 128

function othersAtMostBytes(headers: ReadonlyMap<string, string>, cookies: readonly string[]): number {
  let characters = 0
  for (const [name, value] of headers) characters += name.length + value.length
  for (const cookie of cookies) characters += cookie.length
  const texts = 2 * headers.size + cookies.length
  return STATUS_AND_PUNCTUATION_BYTES + characters * MAX_JSON_BYTES_PER_CODE_UNIT + texts * '"":'.length
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
