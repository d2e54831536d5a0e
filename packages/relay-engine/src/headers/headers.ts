import { isUtf8 } from "node:buffer"
import { eachHeader, type RawHeaders } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"
import { UnwritableValueError } from "../errors/unwritable-value-error.ts"
import { isHttpToken } from "./parameters.ts"

/**
 * Headers that no selection may name, lower case: they frame the message or belong to one connection (RFC 9110
 * section 7.6.1), say whom it is for or what its body is, or hold the caller's credentials for the relay itself.
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

/**
 * How readers differ about the name of a header: the name as the least exact of them sees it, in lower case and with a
 * dash for whatever is neither letter nor digit. Two names that are equal so may be one header to an application.
 *
 * | reader | takes for `X-Card` |
 * |---|---|
 * | CGI (RFC 3875 section 4.1.18), and WSGI, Rack and PHP, which have it from there | `X_Card` |
 * | lighttpd and Apache, for what they run by CGI | `X.Card`, `X!Card` |
 */
export function applicationName(name: string): string {
  const lower = name.toLowerCase()
  return /[^a-z0-9-]/.test(lower) ? lower.replace(/[^a-z0-9-]/g, "-") : lower
}

/** Whether a selection may name a header: it can be a header's name, and is none of `UNSELECTABLE_HEADERS`. */
export function isSelectableHeader(name: string): boolean {
  return isHttpToken(name) && !UNSELECTABLE_HEADERS.has(name.toLowerCase())
}

/** A header that is selected. */
export interface HeaderPlace {
  /** Of its value, in the list of names and values. */
  readonly index: number
  /** As the message spells it. */
  readonly name: string
  /** Which of the names select it: indices, ascending. */
  readonly selectors: readonly number[]
}

/** Finds every occurrence of headers by name, whatever its case. */
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
 * What a header says. Its bytes are taken for UTF-8, which ASCII is part of.
 *
 * @param value bytes as Latin-1 characters
 * @throws UnreadableBodyError when they are no UTF-8: in which encoding they are, nobody can tell
 */
export function headerText(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1")
  if (!isUtf8(bytes)) throw new UnreadableBodyError("malformed", "A selected header is not UTF-8.")
  return bytes
}

/**
 * What is put into a header for a text: its UTF-8 bytes as Latin-1 characters.
 *
 * @throws UnwritableValueError when that would not come out as the same value: a line break or another control
 * character, which would write headers of its own; white space at an end, which every reader drops
 */
export function writeHeaderValue(text: Buffer): string {
  const first = text[0]
  const last = text.at(-1)
  if (isBlank(first) || isBlank(last) || !text.every((byte) => isFieldByte(byte))) {
    throw new UnwritableValueError("A decrypted value cannot stand in a header.")
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
