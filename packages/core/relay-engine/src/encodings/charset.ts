import { isAscii, isUtf8 } from "node:buffer"
import { SealwayError } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"
import { UnwritableValueError } from "../errors/unwritable-value-error.ts"
import type { ContentType } from "../headers/content-type.ts"
import { startOfUtf8 } from "./byte-order-mark.ts"
import { declaredEncoding } from "./declared-encoding.ts"

/** The charsets in which every unselected byte can be preserved. UTF-16 has its byte order in its name. */
export type Charset = "utf-8" | "us-ascii" | "iso-8859-1" | "utf-16le" | "utf-16be"

/** The charset is not supported, or two contradict each other. */
export class UnknownCharsetError extends SealwayError {
  override readonly name = "UnknownCharsetError"
  constructor(detail: string, options?: ErrorOptions) {
    super("invalid-content-type", detail, options)
  }
}

const CHARSETS: ReadonlyMap<string, Charset> = new Map([
  ["utf-8", "utf-8"],
  ["utf8", "utf-8"],
  ["us-ascii", "us-ascii"],
  ["ascii", "us-ascii"],
  ["iso-8859-1", "iso-8859-1"],
  ["iso8859-1", "iso-8859-1"],
  ["latin1", "iso-8859-1"],
  ["utf-16le", "utf-16le"],
  ["utf-16be", "utf-16be"],
])

/** Returns a charset by any of its names, in any case; null when it is not supported. */
export function charsetNamed(name: string): Charset | null {
  return CHARSETS.get(name.toLowerCase()) ?? null
}

/**
 * Determines the charset of a JSON or XML body from its Content-Type, its byte order mark, its first bytes (UTF-16 is
 * visible in its zeros) and its XML declaration. They must agree: if two parsers read different texts, a value that is
 * selected in one may not be in the other. `utf-16` alone needs something else that shows the byte order. Default:
 * UTF-8.
 *
 * @throws UnknownCharsetError when one is not supported, or they contradict each other
 */
export function charsetOf(contentType: ContentType | null, bytes: Buffer): Charset {
  const seen = charsetSeen(bytes)
  const said = saidCharset(contentType?.parameters.get("charset"), seen)
  // In UTF-16 the declaration is not visible in the bytes; it is checked when the text is read.
  const declared = isUtf16(seen) ? null : saidCharset(declaredEncoding(bytes), seen)
  const charset = said ?? seen ?? declared ?? "utf-8"
  if ((seen ?? charset) !== charset || (declared ?? charset) !== charset) {
    throw new UnknownCharsetError("The body declares two different charsets.")
  }
  return charset
}

/**
 * Urlencoded and multipart forms are only accepted in UTF-8 (and its subset ASCII).
 *
 * @throws UnknownCharsetError when a form declares another charset
 */
export function requireUtf8Form(contentType: ContentType): void {
  const name = contentType.parameters.get("charset")
  if (name === undefined) return
  const charset = charsetNamed(name)
  if (charset !== "utf-8" && charset !== "us-ascii") {
    throw new UnknownCharsetError("The form's charset is not UTF-8.")
  }
}

/** Two or more bytes that are one character in UTF-8, read as Latin-1. */
const UTF8_SEQUENCE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/

/**
 * Many parsers read JSON as UTF-8 whatever its Content-Type says, and XML without a declared encoding. A name may be a
 * different one to them: `ſ`, which Go folds to `s`, is `Å¿` in ISO-8859-1.
 *
 * @throws UnknownCharsetError when an ISO-8859-1 body, not declared in XML, contains UTF-8 characters
 */
export function requireOneCharset(bytes: Buffer, charset: Charset): void {
  if (charset !== "iso-8859-1" || isAscii(bytes) || declaredEncoding(bytes) !== null) return
  if (UTF8_SEQUENCE.test(bytes.toString("latin1"))) {
    throw new UnknownCharsetError("The body could be UTF-8 as well as its declared charset.")
  }
}

/**
 * Converts a body to UTF-8, including its byte order mark.
 *
 * @throws UnreadableBodyError when its bytes are invalid in the charset
 */
export function toUtf8(bytes: Buffer, charset: Charset): Buffer {
  switch (charset) {
    case "utf-8":
      return readable(isUtf8(bytes), bytes)
    case "us-ascii":
      return readable(isAscii(bytes), bytes)
    case "iso-8859-1":
      return Buffer.from(bytes.toString("latin1"), "utf8")
    case "utf-16le":
    case "utf-16be": {
      const even = bytes.length % 2 === 0
      const text = even ? (charset === "utf-16le" ? bytes : swapped(bytes)).toString("utf16le") : ""
      return Buffer.from(readable(even && text.isWellFormed(), text), "utf8")
    }
  }
}

/**
 * Reverses `toUtf8`, byte for byte.
 *
 * @throws UnwritableValueError when a character was inserted that the charset does not have
 */
export function fromUtf8(bytes: Buffer, charset: Charset): Buffer {
  switch (charset) {
    case "utf-8":
      return bytes
    case "us-ascii":
      return writable(isAscii(bytes), bytes)
    case "iso-8859-1": {
      const text = bytes.toString("utf8")
      return Buffer.from(writable(!/[^\0-\xff]/.test(text), text), "latin1")
    }
    case "utf-16le":
      return Buffer.from(bytes.toString("utf8"), "utf16le")
    case "utf-16be":
      return swapped(Buffer.from(bytes.toString("utf8"), "utf16le"))
  }
}

/** Returns the charset visible in the first bytes; null when there is none (RFC 4627 section 3, XML 1.0 appendix F). */
function charsetSeen(bytes: Buffer): Charset | null {
  // By index: destructuring a typed array creates an iterator and a result object per byte.
  const first = bytes[0] ?? -1
  const second = bytes[1] ?? -1
  const third = bytes[2]
  const fourth = bytes[3]
  if (startOfUtf8(bytes) > 0) return "utf-8"
  if (first === 0xff && second === 0xfe) {
    // UTF-32, which is never valid.
    if (third === 0 && fourth === 0) throw unknownCharset()
    return "utf-16le"
  }
  if (first === 0xfe && second === 0xff) return "utf-16be"
  if (first === 0 && second > 0) return "utf-16be"
  if (first > 0 && second === 0) return "utf-16le"
  if (first === 0) throw unknownCharset()
  return null
}

function saidCharset(name: string | null | undefined, seen: Charset | null): Charset | null {
  if (name === undefined || name === null) return null
  if (name.toLowerCase() === "utf-16" && isUtf16(seen)) return seen
  const charset = charsetNamed(name)
  if (charset === null) throw unknownCharset()
  return charset
}

function isUtf16(charset: Charset | null): boolean {
  return charset === "utf-16le" || charset === "utf-16be"
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap16()
}

function unknownCharset(): UnknownCharsetError {
  return new UnknownCharsetError("The body's charset is not supported.")
}

function readable<T>(isReadable: boolean, content: T): T {
  if (!isReadable)
    throw new UnreadableBodyError("malformed", "The body is not valid in its declared charset.")
  return content
}

function writable<T>(isWritable: boolean, content: T): T {
  if (!isWritable)
    throw new UnwritableValueError(
      "A decrypted value contains a character that the body's charset does not have.",
    )
  return content
}
