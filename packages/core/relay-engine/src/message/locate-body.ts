import { headerOf, type MaybePromise, type RawHeaders, type Work, waitFor } from "@sealway/kernel"
import { type BodyMemory, UNCOUNTED } from "../body/body-memory.ts"
import type { LocatedBody } from "../body/located-body.ts"
import { charsetOf, fromUtf8, requireOneCharset, requireUtf8Form, toUtf8 } from "../encodings/charset.ts"
import { decodeContent, encodeContent, parseContentEncoding } from "../encodings/content-coding.ts"
import { locateMultipartInSteps } from "../form/locate-multipart.ts"
import { locateUrlencodedInSteps } from "../form/locate-urlencoded.ts"
import { refuseFieldsInDocument } from "../form/refuse-fields-in-document.ts"
import { type ContentType, multipartBoundary } from "../headers/content-type.ts"
import { locateJsonInSteps } from "../json/locate-json.ts"
import type { OperationGroup, Operations } from "../operations/compile-operations.ts"
import { locateXmlInSteps } from "../xml/locate-xml.ts"
import type { BodyFormat } from "./body-format.ts"
import { encryptedParts } from "./encrypted-parts.ts"
import { roomFor } from "./read-body.ts"

/** A body in a readable format. */
export interface RawBody {
  /** Of its message. */
  readonly rawHeaders: RawHeaders
  /** As received. */
  readonly bytes: Buffer
  readonly format: Exclude<BodyFormat, "other">
  readonly contentType: ContentType
}

/** A parsed body. */
export interface ReadBody {
  /** Decoded, as UTF-8: the positions of `located` refer to it. */
  readonly bytes: Buffer
  readonly located: LocatedBody
  /** The operations that the selectors of `located`'s values refer to. */
  readonly group: OperationGroup<unknown>
  /** Converts bytes like `bytes` to the charset and codings of the forwarded body. */
  encode(bytes: Buffer): MaybePromise<Buffer>
  /** Whether the body is forwarded without its original codings. */
  readonly isDecoded: boolean
}

export interface ReadOptions {
  /** The limit for the decoded body. */
  readonly maxBytes: number
  /** See `RelayOptions`. */
  readonly caseSensitiveNames: boolean
  /** See `goesOnDecoded`. Default: false. */
  readonly goesOnDecoded?: boolean
  /** Accounts for the decoded body. */
  readonly memory?: BodyMemory | undefined
}

/**
 * Decodes a body's content codings and charset, and finds the values for operations. Files are not values.
 *
 * @throws UnreadableBodyError, UnknownCodingError, UnknownCharsetError, InvalidContentTypeError
 */
export function* locateBody(raw: RawBody, operations: Operations, options: ReadOptions): Work<ReadBody> {
  const content = yield* decodeBody(raw, options)
  return raw.format === "json" || raw.format === "xml"
    ? yield* locateDocument(raw, raw.format, content, operations, options)
    : yield* locateForm(raw, raw.format, content, operations, options)
}

/** A body without its content codings. */
type Content = Pick<ReadBody, "bytes" | "encode" | "isDecoded">

function* decodeBody(
  { bytes, rawHeaders }: RawBody,
  { maxBytes, memory = UNCOUNTED, goesOnDecoded = false }: ReadOptions,
): Work<Content> {
  const encoding = headerOf(rawHeaders, "content-encoding")
  if (encoding === undefined) return { bytes, encode: (changed) => changed, isDecoded: false }
  const named = parseContentEncoding(encoding)
  const decoded = yield* waitFor(decodeContent(bytes, named, maxBytes, (length) => memory.receive(length)))
  yield* waitFor(roomFor([decoded.bytes], memory))
  return {
    bytes: decoded.bytes,
    encode: (changed) => (goesOnDecoded ? changed : encodeContent(changed, decoded.codings)),
    isDecoded: goesOnDecoded && named.length > 0,
  }
}

function* locateForm(
  { contentType }: RawBody,
  format: "urlencoded" | "multipart",
  content: Content,
  operations: Operations,
  { caseSensitiveNames }: ReadOptions,
): Work<ReadBody> {
  requireUtf8Form(contentType)
  const { selectors } = operations.form
  const encrypted = encryptedParts(operations, { isCaseSensitive: caseSensitiveNames })
  const located =
    format === "urlencoded"
      ? yield* locateUrlencodedInSteps(content.bytes, selectors, { encrypted: encrypted.fields })
      : yield* locateMultipartInSteps(content.bytes, multipartBoundary(contentType), selectors, { encrypted })
  return { ...content, located, group: operations.form }
}

function* locateDocument(
  { contentType }: RawBody,
  format: "json" | "xml",
  content: Content,
  operations: Operations,
  { caseSensitiveNames, memory = UNCOUNTED }: ReadOptions,
): Work<ReadBody> {
  const group = operations[format]
  const { form, encryptedParameters: merged } = operations
  if (form.encrypting.size > 0) {
    const { fields } = encryptedParts(operations, { isCaseSensitive: caseSensitiveNames })
    yield* refuseFieldsInDocument(content.bytes, fields)
  }
  const { selectors, encrypting } = group
  const charset = charsetOf(contentType, content.bytes)
  if (encrypting.size > 0) requireOneCharset(content.bytes, charset)
  const bytes = toUtf8(content.bytes, charset)
  const located =
    format === "json"
      ? yield* locateJsonInSteps(bytes, selectors, {
          encrypting,
          caseSensitiveNames,
          merged,
          memory,
          choosesPatchValues: operations.encryptsPatches,
        })
      : yield* locateXmlInSteps(bytes, selectors, { charset, caseSensitiveNames, encrypting, memory })
  const encode = (changed: Buffer) => content.encode(fromUtf8(changed, charset))
  return { bytes, located, group, encode, isDecoded: content.isDecoded }
}
