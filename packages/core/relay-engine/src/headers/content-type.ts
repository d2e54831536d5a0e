import { SealwayError } from "@sealway/kernel"
import { endOfToken, parseParameters, trimWhiteSpace, unescapeQuoted } from "./parameters.ts"

/** A media type in a Content-Type header. */
export interface ContentType {
  /** `type/subtype`, lower case. */
  readonly type: string
  /** By name in lower case; values without quotes, otherwise as written. */
  readonly parameters: ReadonlyMap<string, string>
  /** Whether a value was written with backslashes, which not all parsers read as escapes. */
  readonly hasEscapes: boolean
}

/** The Content-Type is invalid: parsers read it differently, so none may read it. */
export class InvalidContentTypeError extends SealwayError {
  override readonly name = "InvalidContentTypeError"
  constructor(detail: string, options?: ErrorOptions) {
    super("invalid-content-type", detail, options)
  }
}

/** RFC 2046 section 5.1.1; the last character may not be a space. */
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/

/**
 * Parses a Content-Type (RFC 9110 section 8.3.1) strictly, in linear time. For several headers, pass the values joined
 * by commas: that is malformed, as it must be.
 *
 * @param value undefined: there is no such header
 * @returns null when there is no such header
 * @throws InvalidContentTypeError when it is malformed, or has a duplicate parameter
 */
export function parseContentType(value: string | undefined): ContentType | null {
  if (value === undefined) return null
  const trimmed = trimWhiteSpace(value)
  const slash = endOfToken(trimmed, 0)
  const end = endOfToken(trimmed, slash + 1)
  if (slash === 0 || trimmed[slash] !== "/" || end === slash + 1) {
    throw new InvalidContentTypeError("The Content-Type has no media type.")
  }
  const listed = parseParameters(trimmed, end)
  if (listed === null) throw new InvalidContentTypeError("A parameter of the Content-Type is malformed.")
  const parameters = new Map<string, string>()
  const hasEscapes = listed.some(({ value: text }) => text.includes("\\"))
  for (const { name, value: text, quoted } of listed) {
    if (parameters.has(name))
      throw new InvalidContentTypeError("The Content-Type has the same parameter twice.")
    parameters.set(name, quoted ? unescapeQuoted(text) : text)
  }
  return { type: trimmed.slice(0, end).toLowerCase(), parameters, hasEscapes }
}

/**
 * Parsers differ about a form's Content-Type. All of them read the same boundary and format if there are no parameters
 * but `boundary` and `charset`, and no boundary that some parser decodes:
 *
 * | parser | reads |
 * |---|---|
 * | Go, Flask, Python | `boundary*=utf-8''A` and `boundary*0=A`, whatever `boundary` says |
 * | PHP, formidable | the first `boundary=`, even in `xboundary=A` or within another parameter's quotes |
 * | Tomcat (Spring) | `=?utf-8?q?A?=` as `A` |
 * | PHP, Flask | a backslash in quotes as itself; others as an escape |
 * | formidable | JSON if any parameter contains `json`, multipart if one contains `multipart` |
 *
 * @throws InvalidContentTypeError when a form has other parameters, or escapes
 */
export function requirePlainForm({ parameters, hasEscapes }: ContentType): void {
  const others = [...parameters.keys()].filter((name) => name !== "boundary" && name !== "charset")
  if (others.length > 0 || hasEscapes) {
    throw new InvalidContentTypeError(
      "The form's Content-Type has parameters that parsers interpret differently.",
    )
  }
}

/**
 * Returns the separator of the parts of a form's body.
 *
 * @throws InvalidContentTypeError when a multipart type has no boundary, an invalid one, or one that parsers read
 * differently
 */
export function multipartBoundary(contentType: ContentType): string {
  requirePlainForm(contentType)
  const boundary = contentType.parameters.get("boundary")
  if (boundary === undefined) throw new InvalidContentTypeError("The Content-Type has no boundary.")
  if (!BOUNDARY.test(boundary) || boundary.startsWith(" ") || boundary.includes("=?")) {
    throw new InvalidContentTypeError("The Content-Type's boundary is malformed.")
  }
  return boundary
}
