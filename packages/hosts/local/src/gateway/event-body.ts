import { isUtf8 } from "node:buffer"
import type { HttpEvent } from "@sealway/http"
import { decodeUtf8InSteps, encodeBase64InSteps, type Work } from "@sealway/kernel"

/** How handlers receive a body: as in Lambda, in text or base64, or as the received bytes. */
export type BodyForm = "text" | "bytes"

/** The fields of an event with the request's body. All are absent when it has none. */
export type EventBody = Pick<HttpEvent, "body" | "bodyBytes" | "isBase64Encoded">

const NO_BODY: EventBody = { isBase64Encoded: false }

/** Passes a request's bytes on to a handler in this process. */
export function bytesBody(bytes: Buffer): EventBody {
  return bytes.length === 0 ? NO_BODY : { bodyBytes: bytes, isBase64Encoded: false }
}

/**
 * Puts a request's bytes into an event. An HTTP API passes text on as text and the rest in base64, by media type: text
 * is `text/*`, `application/json`, `application/xml` and `application/javascript`; nothing else is, neither
 * `application/x-www-form-urlencoded` nor a body without Content-Type. AWS does not publish the list; it was measured
 * against a live API in github.com/ministackorg/ministack/pull/766. The `+json` and `+xml` suffixes, which it does not
 * mention, count as not being on the list.
 *
 * No bytes are lost: a body declared as text that is not valid UTF-8 is sent in base64.
 */
export function* textBody(bytes: Buffer, contentType: string | undefined): Work<EventBody> {
  if (bytes.length === 0) return NO_BODY
  return isText(contentType) && isUtf8(bytes)
    ? { body: yield* decodeUtf8InSteps(bytes), isBase64Encoded: false }
    : { body: yield* encodeBase64InSteps(bytes), isBase64Encoded: true }
}

const TEXT_TYPE = /^(?:text\/[^;,\s]+|application\/(?:json|xml|javascript))\s*(?:;|$)/i

function isText(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  return contentType === "application/json" || TEXT_TYPE.test(contentType.trimStart())
}
