import { type ApiError, apiErrorOf, ConnectionError, type FieldProblem } from "../errors/errors.ts"
import type { FetchAnswer } from "./fetch.ts"
import { readStream } from "./read-stream.ts"
import { parseRetryAfter } from "./retry-delay.ts"
import type { AnswerHeaders, ApiAnswer } from "./transport.ts"

/** Refusals are short; a longer one is not from the service. */
const MAX_REFUSAL_BYTES = 256 * 1024
const MAX_FIELDS = 1000
/** Codes for refusals of a gateway in front of the service, which has its own format. */
const CODES: ReadonlyMap<number, string> = new Map([
  [400, "invalid-request"],
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "not-found"],
  [413, "payload-too-large"],
  [429, "too-many-requests"],
  [500, "internal-server-error"],
  [503, "service-unavailable"],
])

/**
 * Reads a successful answer.
 *
 * @param wantsBytes whether JSON is not parsed
 * @throws ConnectionError if it is not one, or is too large
 */
export async function readAnswer(
  response: FetchAnswer,
  maxBytes: number,
  wantsBytes: boolean,
): Promise<ApiAnswer> {
  const { status, headers } = response
  const bytes = await readBytes(response, maxBytes)
  const contentType = (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase()
  if (bytes.length === 0 && contentType !== "application/octet-stream")
    return { status, headers, content: undefined }
  const isJson = contentType === "application/json"
  if (isJson && !wantsBytes) return { status, headers, content: parseJson(bytes) }
  if (isJson || contentType === "application/octet-stream") return { status, headers, content: bytes }
  throw unexpected("The answer has another content type than the service's answers.")
}

/** Reads what the service says about a request that it refuses. */
export async function readRefusal(response: FetchAnswer): Promise<ApiError | ConnectionError> {
  const { status, headers } = response
  // Browsers show nothing of a redirect that they did not follow, not even its status.
  if (status < 400) {
    // What nobody reads would keep the connection, and with it the process.
    await readBytes(response, MAX_REFUSAL_BYTES).catch(() => undefined)
    return unexpected(
      "The service answered with a redirect. Redirects are not followed, because credentials would go with them.",
    )
  }
  const problem = problemIn(await readBytes(response, MAX_REFUSAL_BYTES))
  const answered = {
    status,
    requestId: requestIdOf(headers),
    retryAfterMs: parseRetryAfter(headers.get("retry-after")),
  }
  if (problem !== null) return apiErrorOf({ ...problem, ...answered })
  const code = CODES.get(status)
  const detail = `The answer has status ${status}, and says nothing more.`
  if (code === undefined) return unexpected(detail)
  return apiErrorOf({ code, detail, fields: [], ...answered })
}

/** Returns what names a request in the service's logs; null if the service has given nothing. */
export const requestIdOf = (headers: AnswerHeaders): string | null => headers.get("apigw-requestid")

function problemIn(
  bytes: Uint8Array,
): { code: string; detail: string; fields: readonly FieldProblem[] } | null {
  let problem: unknown
  try {
    problem = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
  if (!isObject(problem)) return null
  const { code, detail, fields = [] } = problem
  if (typeof code !== "string" || !/^[a-z0-9][a-z0-9/-]{0,99}$/.test(code)) return null
  if (typeof detail !== "string" || !Array.isArray(fields)) return null
  return { code, detail, fields: fields.slice(0, MAX_FIELDS).filter(isFieldProblem) }
}

function isFieldProblem(field: unknown): field is FieldProblem {
  return isObject(field) && typeof field.pointer === "string" && typeof field.reason === "string"
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    // The parser's message quotes the text, which may be plaintext.
    throw unexpected("The answer is not JSON.")
  }
}

/** Reads a body to its end, and no further than `maxBytes`, however well it is compressed. */
async function readBytes(response: FetchAnswer, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (response.body === null) return new Uint8Array()
  const bytes = await readStream(response.body, maxBytes)
  if (bytes !== null) return bytes
  throw new ConnectionError("response-too-large", `The answer has more than ${maxBytes} bytes.`)
}

function unexpected(message: string): ConnectionError {
  return new ConnectionError("unexpected-response", message)
}
