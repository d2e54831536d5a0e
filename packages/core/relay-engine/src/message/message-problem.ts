import { PayloadTooLargeError } from "@sealway/kernel"
import { FileTooLargeError, InvalidTokenError, StreamingFileError } from "@sealway/tokens"
import { UnreadableBodyError } from "../body/located-body.ts"
import { UnknownCharsetError } from "../encodings/charset.ts"
import { UnknownCodingError } from "../encodings/content-coding.ts"
import { RelayError } from "../errors/relay-error.ts"
import { UnwritableValueError } from "../errors/unwritable-value-error.ts"
import { InvalidContentTypeError } from "../headers/content-type.ts"

type Direction = "request" | "response"

/** Translates what prevented a message from being read or written for its sender. Returns other errors unchanged. */
export function messageProblem(direction: Direction, error: unknown): unknown {
  if (error instanceof StreamingFileError) return malformed(direction, error.message, error)
  if (error instanceof InvalidTokenError) {
    // One sentence for all reasons, so that nobody learns which of them it was.
    return malformed(direction, "A selected value cannot be decrypted.", error)
  }
  if (error instanceof UnwritableValueError) {
    return malformed(direction, "A new value does not fit where the old one was.", error)
  }
  if (error instanceof UnreadableBodyError) {
    const refuse = error.reason === "too-large" ? tooLarge : malformed
    return refuse(direction, error.message, error)
  }
  // More values than the app's keys may open in one message.
  if (error instanceof PayloadTooLargeError) return tooLarge(direction, error.message, error)
  if (error instanceof FileTooLargeError) return tooLarge(direction, "A file is too large.", error)
  if (error instanceof InvalidContentTypeError) {
    return unsupported(direction, "The Content-Type header is malformed.", error)
  }
  if (error instanceof UnknownCharsetError) {
    return unsupported(direction, "The body's charset is not supported.", error)
  }
  if (error instanceof UnknownCodingError) {
    return unsupported(direction, "The body's content coding is not supported.", error)
  }
  return error
}

export function malformed(direction: Direction, detail: string, cause?: unknown): RelayError {
  return direction === "request"
    ? new RelayError("bad-request", detail, { cause })
    : new RelayError("proxy-error", detail, { stage: "response", cause })
}

export function tooLarge(direction: Direction, detail: string, cause?: unknown): RelayError {
  return direction === "request"
    ? new RelayError("payload-too-large", detail, { cause })
    : new RelayError("proxy-error", detail, { stage: "response", cause })
}

export function unsupported(direction: Direction, detail: string, cause?: unknown): RelayError {
  return direction === "request"
    ? new RelayError("invalid-content-type", detail, { cause })
    : new RelayError("unsupported-content-type-in-response", detail, { stage: "response", cause })
}
