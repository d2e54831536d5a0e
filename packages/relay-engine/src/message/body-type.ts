import { headerOf } from "@sealway/kernel"
import { type ContentType, parseContentType } from "../headers/content-type.ts"
import { type BodyFormat, formatOf } from "./body-format.ts"
import { messageProblem } from "./message-problem.ts"
import { unknownTypeRefusal } from "./refuse-unknown-types.ts"
import type { Transformation } from "./transformation.ts"

export interface BodyType {
  readonly contentType: ContentType | null
  readonly format: BodyFormat
  /** Why a body of this type does not pass, unless it is empty; null when it may. */
  readonly refusal: unknown
}

/**
 * Reads the type of a body. A response's malformed type only matters where its body must be read: the sender of the
 * response would not see the error.
 *
 * @throws InvalidContentTypeError when a request's is malformed, whether it has a body or not
 */
export function readBodyType(
  { message, operations, options: { compiled } }: Transformation,
  hasBody: boolean,
): BodyType {
  const { direction, rawHeaders } = message
  let contentType: ContentType | null
  try {
    contentType = parseContentType(headerOf(rawHeaders, "content-type"))
  } catch (error) {
    if (direction === "request") throw error
    const isRead = hasBody && (operations.touchesBody || compiled.leakWatch === "block")
    return { contentType: null, format: "other", refusal: isRead ? messageProblem(direction, error) : null }
  }
  const format = formatOf(contentType)
  const refusal = hasBody ? unknownTypeRefusal(message, format, contentType, operations, compiled) : null
  return { contentType, format, refusal }
}
