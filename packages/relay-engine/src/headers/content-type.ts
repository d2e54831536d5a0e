import { SealwayError } from "@sealway/kernel"
import { endOfToken, parseParameters, trimWhiteSpace, unescapeQuoted } from "./parameters.ts"

/** A media type, as a Content-Type header names it. */
export interface ContentType {
  /** `type/subtype`, lower case. */
  readonly type: string
  /** By name in lower case; values without quotes, as they were written. */
  readonly parameters: ReadonlyMap<string, string>
  /** Whether a value was written with backslashes, which not all readers take for escapes. */
  readonly hasEscapes: boolean
}

/** A Content-Type that is none: parsers read different things in it, so nobody may read anything. */
export class InvalidContentTypeError extends SealwayError {
  override readonly name = "InvalidContentTypeError"
  constructor(detail: string, options?: ErrorOptions) {
    super("invalid-content-type", detail, options)
  }
}

/** RFC 2046 section 5.1.1; a space may not be the last. */
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/

/**
 * Reads a Content-Type (RFC 9110 section 8.3.1) strictly, in linear time. Of several headers, give the values joined
 * by commas: that is malformed, as it should be.
 *
 * @param value undefined: there is no such header
 * @returns null when there is no such header
 * @throws InvalidContentTypeError when it is malformed, or has a parameter twice
 */
export function parseContentType(value: string | undefined): ContentType | null {
  if (value === undefined) return null
  const trimmed = trimWhiteSpace(value)
  const slash = endOfToken(trimmed, 0)
  const end = endOfToken(trimmed, slash + 1)
  if (slash === 0 || trimmed[slash] !== "/" || end === slash + 1) {
    throw new InvalidContentTypeError("The Content-Type names no media type.")
  }
  const listed = parseParameters(trimmed, end)
  if (listed === null) throw new InvalidContentTypeError("A parameter of the Content-Type is malformed.")
  const parameters = new Map<string, string>()
  const hasEscapes = listed.some(({ value: text }) => text.includes("\\"))
  for (const { name, value: text, quoted } of listed) {
    if (parameters.has(name)) throw new InvalidContentTypeError("The Content-Type has a parameter twice.")
    parameters.set(name, quoted ? unescapeQuoted(text) : text)
  }
  return { type: trimmed.slice(0, end).toLowerCase(), parameters, hasEscapes }
}

/**
 * How readers differ about a form's Content-Type. All of them read the same boundary, and the same format, where there
 * are no parameters but `boundary` and `charset`, and no boundary that some reader decodes:
 *
 * | reader | reads |
 * |---|---|
 * | Go, Flask, Python | `boundary*=utf-8''A` and `boundary*0=A`, whatever `boundary` says |
 * | PHP, formidable | the first `boundary=`, be it in `xboundary=A` or within another parameter's quotes |
 * | Tomcat (Spring) | `=?utf-8?q?A?=` as `A` |
 * | PHP, Flask | a backslash in quotes as itself; others as an escape |
 * | formidable | JSON where any parameter holds `json`, multipart where one holds `multipart` |
 *
 * @throws InvalidContentTypeError when a form has other parameters, or escapes
 */
export function requirePlainForm({ parameters, hasEscapes }: ContentType): void {
  const others = [...parameters.keys()].filter((name) => name !== "boundary" && name !== "charset")
  if (others.length > 0 || hasEscapes) {
    throw new InvalidContentTypeError(
      "The Content-Type of a form has parameters that readers disagree about.",
    )
  }
}

/**
 * What parts of a form's body are separated by.
 *
 * @throws InvalidContentTypeError when a multipart type has no boundary, one that is not allowed, or one that readers
 * read differently
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
