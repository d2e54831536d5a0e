import { isUtf8 } from "node:buffer"
import { UnreadableBodyError } from "../body/located-body.ts"
import { InvalidContentTypeError, parseContentType } from "../headers/content-type.ts"
import { endOfToken, type Parameter, parseParameters, trimWhiteSpace } from "../headers/parameters.ts"

/** The headers of a part, as far as all parsers agree. */
export interface PartHead {
  /** The field's name as sent: browsers write a quote in it as `%22`. */
  readonly name: string
  /** Null: a field. Otherwise a file, even an empty one. */
  readonly filename: string | null
  /** Whether its content can be read and replaced: not in base64 or quoted-printable, and UTF-8 when it is a field. */
  readonly readable: boolean
  /** Other possible readings of the headers, see `requireOneReading`. */
  readonly hints: PartHints
}

/** What parsers use that misread a part's headers. */
export interface PartHints {
  /** Parsers that search for a name find only one, in the only disposition. */
  readonly hasOneName: boolean
  readonly hasContentType: boolean
  /** Lower case. */
  readonly transferEncoding: string
  /** Lower case; null when none is given. */
  readonly charset: string | null
}

const PLAIN_ENCODINGS: ReadonlySet<string> = new Set(["7bit", "8bit", "binary"])
const PLAIN_CHARSETS: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii", "ascii"])

/**
 * Parses a part's headers (RFC 7578), and refuses what parsers disagree on: line ends other than CRLF, folded lines, a
 * missing, repeated or contradictory disposition, backslashes that may or may not escape, a `filename*` that differs
 * from `filename`, nested multipart.
 *
 * @param lines the headers, without the empty line that ends them and the CRLF before it
 * @throws UnreadableBodyError
 */
export function readPartHead(lines: Buffer): PartHead {
  if (!isUtf8(lines)) throw malformed("A part's headers are not UTF-8.")
  const text = lines.toString("utf8")
  const headers = readHeaders(text)
  const disposition = headers.get("content-disposition")
  const { name, filename } = readDisposition(disposition)
  const charset = readCharset(headers.get("content-type"))
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase() ?? "binary"
  const isPlainText = filename !== null || charset === null || PLAIN_CHARSETS.has(charset)
  const hints = {
    hasOneName:
      occursOnce(text, /content-disposition:/gi) && occursOnce(disposition ?? "", /\bname\s*\*?=/gi),
    hasContentType: headers.has("content-type"),
    transferEncoding: encoding,
    charset,
  }
  return { name, filename, readable: isPlainText && PLAIN_ENCODINGS.has(encoding), hints }
}

function occursOnce(text: string, pattern: RegExp): boolean {
  return (text.match(pattern) ?? []).length === 1
}

function readHeaders(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  for (const line of text.split("\r\n")) {
    const colon = endOfToken(line, 0)
    if (colon === 0 || line[colon] !== ":" || hasControl(line))
      throw malformed("A part's header is malformed.")
    const name = line.slice(0, colon).toLowerCase()
    if (headers.has(name)) throw malformed("A part has the same header twice.")
    headers.set(name, trimWhiteSpace(line.slice(colon + 1)))
  }
  return headers
}

function readDisposition(value: string | undefined): Pick<PartHead, "name" | "filename"> {
  if (value === undefined) throw malformed("A part has no Content-Disposition.")
  const end = endOfToken(value, 0)
  const listed = parseParameters(value, end)
  if (value.slice(0, end).toLowerCase() !== "form-data" || listed === null) throw malformedDisposition()
  const parameters = new Map<string, Parameter>()
  for (const parameter of listed) {
    if (parameters.has(parameter.name) || isAmbiguous(parameter)) throw malformedDisposition()
    parameters.set(parameter.name, parameter)
  }
  const name = parameters.get("name")?.value
  const filename = parameters.get("filename")?.value ?? null
  // A parser without escapes ends the string at a quote that another reads as escaped.
  if (name === undefined || name.includes("\\") || filename?.includes('\\"')) throw malformedDisposition()
  for (const parameter of parameters.values()) {
    if (!parameter.name.includes("*")) continue
    if (parameter.name !== "filename*" || filename === null || extendedValue(parameter) !== filename) {
      throw malformedDisposition()
    }
  }
  return { name, filename }
}

/** Without quotes, some parsers read `'` and `%` as an extended value (RFC 2231), whatever the parameter's name. */
function isAmbiguous({ name, value, quoted }: Parameter): boolean {
  return !quoted && !name.endsWith("*") && /['%]/.test(value)
}

/** Decodes `UTF-8''a%20b` (RFC 8187). Returns null when it is malformed, or in another charset. */
function extendedValue({ value, quoted }: Parameter): string | null {
  const [charset = "", , encoded, ...more] = value.split("'")
  if (quoted || charset.toLowerCase() !== "utf-8" || encoded === undefined || more.length > 0) return null
  try {
    return decodeURIComponent(encoded)
  } catch {
    return null
  }
}

function readCharset(contentType: string | undefined): string | null {
  try {
    const parsed = parseContentType(contentType)
    if (parsed?.type.startsWith("multipart/")) throw malformed("Nested multipart bodies are not supported.")
    return parsed?.parameters.get("charset")?.toLowerCase() ?? null
  } catch (error) {
    if (error instanceof InvalidContentTypeError) {
      throw new UnreadableBodyError("malformed", "A part's Content-Type is malformed.", { cause: error })
    }
    throw error
  }
}

function hasControl(line: string): boolean {
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return true
  }
  return false
}

function malformedDisposition(): UnreadableBodyError {
  return malformed("A part's Content-Disposition is malformed.")
}

function malformed(detail: string): UnreadableBodyError {
  return new UnreadableBodyError("malformed", detail)
}
