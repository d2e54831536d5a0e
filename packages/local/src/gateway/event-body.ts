import { isUtf8 } from "node:buffer"
import { decodeUtf8InSteps, encodeBase64InSteps, type Work } from "@sealway/kernel"
import type { HttpEvent } from "@sealway/platform"

/** How handlers are handed a body: as Lambda does, in text or base64, or as the bytes that came. */
export type BodyForm = "text" | "bytes"

/** The fields of an event that hold the request's body, none of which are there when it has none. */
export type EventBody = Pick<HttpEvent, "body" | "bodyBytes" | "isBase64Encoded">

const NO_BODY: EventBody = { isBase64Encoded: false }

/**
 * Puts a request's bytes into an event. An HTTP API hands on text as text and the rest in base64, by media type:
 * text is `text/*`, `application/json`, `application/xml` and `application/javascript`; nothing else is, neither
 * `application/x-www-form-urlencoded` nor a body without Content-Type. AWS does not publish the list; it was measured
 * against a live API in github.com/ministackorg/ministack/pull/766. The `+json` and `+xml` suffixes, of which that
 * says nothing, are taken for what is not on the list.
 *
 * Bytes are never lost: what says it is text and is not valid UTF-8 goes in base64.
 *
 * @param form what the handlers take
 */
export function* encodeEventBody(
  bytes: Buffer,
  contentType: string | undefined,
  form: BodyForm,
): Work<EventBody> {
  if (bytes.length === 0) return NO_BODY
  if (form === "bytes") return { bodyBytes: bytes, isBase64Encoded: false }
  return isText(contentType) && isUtf8(bytes)
    ? { body: yield* decodeUtf8InSteps(bytes), isBase64Encoded: false }
    : { body: yield* encodeBase64InSteps(bytes), isBase64Encoded: true }
}

const TEXT_TYPE = /^(?:text\/[^;,\s]+|application\/(?:json|xml|javascript))\s*(?:;|$)/i

function isText(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  return contentType === "application/json" || TEXT_TYPE.test(contentType.trimStart())
}
