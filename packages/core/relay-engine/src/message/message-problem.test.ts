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
  [new StreamingFileError(), MALFORMED, /POST \/files\/\{file_id\}\/decrypt/],
  [new InvalidTokenError(), MALFORMED, "A selected value cannot be decrypted."],
  [new UnwritableValueError("No room."), MALFORMED, "A new value does not fit where the old one was."],
  [new UnreadableBodyError("malformed", "No JSON."), MALFORMED, "No JSON."],
  [new UnreadableBodyError("too-large", "Too many values."), TOO_LARGE, "Too many values."],
  [new PayloadTooLargeError("Too many values."), TOO_LARGE, "Too many values."],
  [new FileTooLargeError(), TOO_LARGE, "A file is too large."],
  [new InvalidContentTypeError("No type."), UNSUPPORTED, "The Content-Type header is malformed."],
  [new UnknownCharsetError("No charset."), UNSUPPORTED, "The body's charset is not supported."],
  [new UnknownCodingError("No coding."), UNSUPPORTED, "The body's content coding is not supported."],
] as const)(
  "what is wrong with a message has a code for its direction and a detail, and keeps its cause: %o",
  (cause, [request, response], detail) => {
    for (const [direction, code] of [
      ["request", request],
      ["response", response],
    ] as const) {
      const problem = messageProblem(direction, cause)
      expect(problem).toMatchObject({ code, stage: direction, cause })
      expect(String(problem)).toMatch(detail)
    }
  },
)

test("a programming error stays what it is", () => {
  const error = new TypeError("No such function")
  expect(messageProblem("request", error)).toBe(error)
})
