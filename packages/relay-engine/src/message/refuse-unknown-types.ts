import type { Readable } from "node:stream"
import type { Operations } from "../compile-operations.ts"
import type { ContentType } from "../content-type.ts"
import type { RelayError } from "../relay-error.ts"
import type { RelayOptions } from "../routes/compile-relay.ts"
import type { BodyFormat } from "./body-format.ts"
import type { Message } from "./message.ts"
import { unsupported } from "./message-problem.ts"

/** What no reader looks for fields in. */
const OPAQUE = /^(?:image|video|audio)\/|^application\/(?:pdf|octet-stream)$/

/**
 * Why a body that is not empty does not pass, where its values are to be encrypted: null when it may.
 *
 * How readers differ about a request's body of no type that is read here:
 *
 * | reader | reads |
 * |---|---|
 * | Go, Sinatra, and whoever else parses the body itself | JSON and XML without asking for a type |
 * | Flask (`force=True`), Express (`type: () => true`) | JSON of any type |
 * | Go, Spring | `multipart/mixed` as a form |
 *
 * An answer passes in no type that it cannot be encrypted in.
 */
export function unknownTypeRefusal(
  { direction }: Message,
  format: BodyFormat,
  contentType: ContentType | null,
  { encryptsBody }: Operations,
  { unknownContentTypes }: Pick<RelayOptions, "unknownContentTypes">,
): RelayError | null {
  if (!encryptsBody) return null
  if (direction === "response") {
    if (format !== "other" && format !== "urlencoded") return null
    return unsupported(
      direction,
      "The response is to be encrypted, and is not JSON, XML or multipart/form-data.",
    )
  }
  if (format !== "other" || unknownContentTypes === "pass") return null
  if (contentType !== null && OPAQUE.test(contentType.type)) return null
  return unsupported(
    direction,
    "The request is to be encrypted, and its Content-Type is missing or none that fields are read from.",
  )
}

/** Reads on in a body until it is known whether it has any bytes. One that has is not read to its end. */
export async function hasBytes(body: Readable): Promise<boolean> {
  const chunks: AsyncIterable<Buffer> = body
  for await (const chunk of chunks) if (chunk.length > 0) return true
  return false
}
