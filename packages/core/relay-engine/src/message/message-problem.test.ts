import { PayloadTooLargeError } from "@sealway/kernel"
import { FileTooLargeError, InvalidTokenError, StreamingFileError } from "@sealway/tokens"
import { expect, test } from "vitest"
import { UnreadableBodyError } from "../body/located-body.ts"
import { UnknownCharsetError } from "../encodings/charset.ts"
import { UnknownCodingError } from "../encodings/content-coding.ts"
import { UnwritableValueError } from "../errors/unwritable-value-error.ts"
import { InvalidContentTypeError } from "../headers/content-type.ts"
import { messageProblem } from "./message-problem.ts"

const MALFORMED = ["bad-request", "proxy-error"] as const
const TOO_LARGE = ["payload-too-large", "proxy-error"] as const
const UNSUPPORTED = ["invalid-content-type", "unsupported-content-type-in-response"] as const

test.each([
  [new StreamingFileError(), MALFORMED],
  [new InvalidTokenError(), MALFORMED],
  [new UnwritableValueError("No room."), MALFORMED],
  [new UnreadableBodyError("malformed", "No JSON."), MALFORMED],
  [new UnreadableBodyError("too-large", "Too many values."), TOO_LARGE],
  [new PayloadTooLargeError("Too many values."), TOO_LARGE],
  [new FileTooLargeError("Too large."), TOO_LARGE],
  [new InvalidContentTypeError("No type."), UNSUPPORTED],
  [new UnknownCharsetError("No charset."), UNSUPPORTED],
  [new UnknownCodingError("No coding."), UNSUPPORTED],
] as const)(
  "what is wrong with a message has a code for its direction, and keeps its cause: %o",
  (cause, [request, response]) => {
    expect(messageProblem("request", cause)).toMatchObject({ code: request, stage: "request", cause })
    expect(messageProblem("response", cause)).toMatchObject({ code: response, stage: "response", cause })
  },
)

test("a programming error stays what it is", () => {
  const error = new TypeError("No such function")
  expect(messageProblem("request", error)).toBe(error)
})
