import { isUtf8 } from "node:buffer"
import { eachHeader, type RawHeaders } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"
import { UnwritableValueError } from "../errors/unwritable-value-error.ts"
import { isHttpToken } from "./parameters.ts"

/**
 * Headers that no selection may name, lower case: they frame the message or belong to one connection (RFC 9110 section
 * 7.6.1), describe its host or body, or contain the caller's credentials for the relay itself.
 */
const UNSELECTABLE_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-range",
  "content-type",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-service-api-key",
  "x-service-app-id",
  "x-service-error-code",
])

const LOWER_A = 0x61
const LOWER_Z = 0x7a
const ZERO = 0x30
const NINE = 0x39
const DASH = 0x2d

/**
 * Returns the name of a header as the least exact applications see it: in lower case and with a dash for everything
 * that is neither letter nor digit. Two names that are equal in this form may be the same header to an application.
 *
 * | software | reads as `X-Card` |
 * |---|---|
 * | CGI (RFC 3875 section 4.1.18), and WSGI, Rack and PHP, which inherit it | `X_Card` |
 * | lighttpd and Apache, for CGI programs | `X.Card`, `X!Card` |
 */
export function applicationName(name: string): string {
  if (isPlainName(name)) return name
  const lower = name.toLowerCase()
  return isPlainName(lower) ? lower : lower.replace(/[^a-z0-9-]/g, "-")
}

/** Whether a name is of lower-case letters, digits and dashes. Names are short: this is faster than an expression. */
function isPlainName(name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index)
    if ((code < LOWER_A || code > LOWER_Z) && code !== DASH && (code < ZERO || code > NINE)) return false
  }
  return true
}

/** Whether a selection may name a header: a valid header name that is not one of `UNSELECTABLE_HEADERS`. */
export function isSelectableHeader(name: string): boolean {
  return isHttpToken(name) && !UNSELECTABLE_HEADERS.has(name.toLowerCase())
}

/** A selected header. */
export interface HeaderPlace {
  /** The index of its value in the list of names and values. */
  readonly index: number
  /** As spelled in the message. */
  readonly name: string
  /** The names that select it: ascending indices. */
  readonly selectors: readonly number[]
}

/** Finds every occurrence of headers by name, in any case. */
export function locateHeaders(rawHeaders: RawHeaders, names: readonly string[]): readonly HeaderPlace[] {
  const selectorsByName = new Map<string, number[]>()
  for (const [selector, name] of names.entries()) {
    const selectors = selectorsByName.get(name.toLowerCase())
    if (selectors === undefined) selectorsByName.set(name.toLowerCase(), [selector])
    else selectors.push(selector)
  }
  const places: HeaderPlace[] = []
  eachHeader(rawHeaders, (name, _value, index) => {
    const selectors = selectorsByName.get(name.toLowerCase())
    if (selectors !== undefined) places.push({ index, name, selectors })
  })
  return places
}

/**
 * Returns the text of a header. Its bytes are read as UTF-8, which includes ASCII.
 *
 * @param value bytes as Latin-1 characters
 * @throws UnreadableBodyError when they are not UTF-8: their encoding is unknown
 */
export function headerText(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1")
  if (!isUtf8(bytes)) throw new UnreadableBodyError("malformed", "A selected header is not UTF-8.")
  return bytes
}

/**
 * Encodes a text as a header value: its UTF-8 bytes as Latin-1 characters.
 *
 * @throws UnwritableValueError when that would not be read as the same value: a line break or another control
 * character, which could start a new header; white space at an end, which every parser drops
 */
export function writeHeaderValue(text: Buffer): string {
  const first = text[0]
  const last = text.at(-1)
  if (isBlank(first) || isBlank(last) || !text.every((byte) => isFieldByte(byte))) {
    throw new UnwritableValueError("A decrypted value contains characters that a header cannot carry.")
  }
  return text.toString("latin1")
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09
}

/** `field-vchar`, space and tab (RFC 9110 section 5.5). */
function isFieldByte(byte: number): boolean {
  return (byte >= 0x20 && byte !== 0x7f) || byte === 0x09
}
