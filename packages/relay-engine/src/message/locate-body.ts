import { headerOf, type MaybePromise, type RawHeaders, type Turns, type Work, waitFor } from "@sealway/kernel"
import type { LocatedBody } from "../body/located-body.ts"
import { charsetOf, fromUtf8, requireOneCharset, requireUtf8Form, toUtf8 } from "../encodings/charset.ts"
import { decodeContent, encodeContent, parseContentEncoding } from "../encodings/content-coding.ts"
import { locateMultipartInSteps } from "../form/locate-multipart.ts"
import { locateUrlencodedInSteps } from "../form/locate-urlencoded.ts"
import { type ContentType, multipartBoundary } from "../headers/content-type.ts"
import { locateJsonInSteps } from "../json/locate-json.ts"
import type { OperationGroup, Operations } from "../operations/compile-operations.ts"
import { locateXmlInSteps } from "../xml/locate-xml.ts"
import type { BodyFormat } from "./body-format.ts"
import { encryptedParts } from "./encrypted-parts.ts"
import type { BodyMemory } from "./message.ts"

const NO_SELECTIONS: ReadonlySet<number> = new Set()

/** A body in a format that can be read. */
export interface RawBody {
  /** Of its message. */
  readonly rawHeaders: RawHeaders
  /** As they came. */
  readonly bytes: Buffer
  readonly format: Exclude<BodyFormat, "other">
  readonly contentType: ContentType
}

/** A body that has been read. */
export interface ReadBody {
  /** Decoded, as UTF-8: what the places of `located` are counted in. */
  readonly bytes: Buffer
  readonly located: LocatedBody
  /** What the selectors of `located`'s values stand for. */
  readonly group: OperationGroup<unknown>
  /** Makes of bytes like `bytes` what they are in the charset, and the codings, that the body goes on in. */
  encode(bytes: Buffer): MaybePromise<Buffer>
  /** Whether the body goes on without the codings that it came in. */
  readonly isDecoded: boolean
}

export interface ReadOptions {
  /** Of the decoded body. */
  readonly maxBytes: number
  /** See `RelayOptions`. */
  readonly caseSensitiveNames: boolean
  /** See `goesOnDecoded`. Default: false. */
  readonly goesOnDecoded?: boolean
  /** What the decoded body takes is accounted for there. */
  readonly memory?: BodyMemory | undefined
}

/**
 * Undoes a body's content codings and charset, and finds the values that operations are for. Files are no values.
 *
 * @throws UnreadableBodyError, UnknownCodingError, UnknownCharsetError, InvalidContentTypeError
 */
export function locateBody(
  raw: RawBody,
  operations: Operations,
  options: ReadOptions,
  turns: Turns,
): MaybePromise<ReadBody> {
  return turns.run(locateBodyInSteps(raw, operations, options))
}

/** `locateBody`, in steps. */
export function* locateBodyInSteps(
  raw: RawBody,
  operations: Operations,
  { maxBytes, caseSensitiveNames, memory, goesOnDecoded = false }: ReadOptions,
): Work<ReadBody> {
  const { format, contentType } = raw
  let { bytes } = raw
  let codings = parseContentEncoding(headerOf(raw.rawHeaders, "content-encoding"))
  if (codings.length > 0) {
    const decoding = decodeContent(bytes, codings, maxBytes, (decoded) => memory?.take(decoded))
    ;({ bytes, codings } = yield* waitFor(decoding))
  }
  const { json, xml, form } = operations
  const isDecoded = goesOnDecoded && codings.length > 0
  const encodeCoding = (changed: Buffer) =>
    isDecoded || codings.length === 0 ? changed : encodeContent(changed, codings)
  if (format === "urlencoded" || format === "multipart") {
    requireUtf8Form(contentType)
    const encrypted = encryptedParts(operations, { isCaseSensitive: caseSensitiveNames })
    const located =
      format === "urlencoded"
        ? yield* locateUrlencodedInSteps(bytes, form.selectors, { encrypted: encrypted.fields })
        : yield* locateMultipartInSteps(bytes, multipartBoundary(contentType), form.selectors, { encrypted })
    return { bytes, located, group: form, encode: encodeCoding, isDecoded }
  }
  const charset = charsetOf(contentType, bytes)
  if ((format === "json" ? json : xml).encrypting.size > 0) requireOneCharset(bytes, charset)
  const text = toUtf8(bytes, charset)
  const encode = (changed: Buffer) => encodeCoding(fromUtf8(changed, charset))
  return format === "json"
    ? {
        bytes: text,
        located: yield* locateJsonInSteps(text, json.selectors, {
          encrypting: caseSensitiveNames ? NO_SELECTIONS : json.encrypting,
        }),
        group: json,
        encode,
        isDecoded,
      }
    : {
        bytes: text,
        located: yield* locateXmlInSteps(text, xml.selectors, {
          ...{ charset, caseSensitiveNames, encrypting: xml.encrypting },
        }),
        group: xml,
        encode,
        isDecoded,
      }
}
