import { isUtf8 } from "node:buffer"
import { decodeUtf8InSteps, encodeBase64InSteps, type Work } from "@sealway/kernel"

/** The two fields of an event that hold the request's body. */
export interface EventBody {
  /** Undefined when the request has no body. */
  readonly body: string | undefined
  readonly isBase64Encoded: boolean
}

const NO_BODY: EventBody = { body: undefined, isBase64Encoded: false }

/**
 * Puts a request's bytes into an event. An HTTP API hands on text as text and the rest in base64, by media type:
 * text is `text/*`, `application/json`, `application/xml` and `application/javascript`; nothing else is, neither
 * `application/x-www-form-urlencoded` nor a body without Content-Type. AWS does not publish the list; it was measured
 * against a live API in github.com/ministackorg/ministack/pull/766. The `+json` and `+xml` suffixes, of which that
 * says nothing, are taken for what is not on the list.
 *
 * Bytes are never lost: what says it is text and is not valid UTF-8 goes in base64.
 */
export function* encodeEventBody(bytes: Buffer, contentType: string | undefined): Work<EventBody> {
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
