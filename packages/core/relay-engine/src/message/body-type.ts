import { headerOf } from "@sealway/kernel"
import { type ContentType, parseContentType } from "../headers/content-type.ts"
import type { Operations } from "../operations/compile-operations.ts"
import { type Admission, admissionOf } from "./body-admission.ts"
import { type BodyFormat, formatOf } from "./body-format.ts"
import type { Message } from "./message.ts"
import { messageProblem, unsupported } from "./message-problem.ts"
import type { Transformation } from "./transformation.ts"

export interface BodyType {
  readonly contentType: ContentType | null
  readonly format: BodyFormat
  readonly admission: Admission
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
    const refusal = isRead ? messageProblem(direction, error) : null
    return { contentType: null, format: "other", admission: "free", refusal }
  }
  const format = formatOf(contentType)
  const admission = hasBody ? admissionOf(message, format, contentType, operations, compiled) : "free"
  const refusal = admission === "refused" ? typeRefusal(message, contentType, operations) : null
  return { contentType, format, admission, refusal }
}

/** Says what the route encrypts, and what to do: the type is the sender's, and is not repeated. */
function typeRefusal({ direction }: Message, contentType: ContentType | null, { list }: Operations) {
  if (contentType === null) {
    return unsupported(
      direction,
      `The ${direction}'s body has no Content-Type, and could be read as anything: send it with its type.`,
    )
  }
  const selected = new Set(
    list.flatMap(({ action, selection: { type } }) =>
      action === "encrypt" && type !== "header" && type !== "query" ? [type] : [],
    ),
  )
  return unsupported(
    direction,
    `The route encrypts bodies by selections of type ${[...selected].join(", ")}, and the ${direction}'s body is of another type: send it with its own Content-Type, select it too, or list its type in passContentTypes.`,
  )
}
