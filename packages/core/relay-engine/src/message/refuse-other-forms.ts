import { headerOf } from "@sealway/kernel"
import type { LeakWatch } from "../body/leak-watch.ts"
import { type ContentType, requirePlainForm } from "../headers/content-type.ts"
import type { Operations } from "../operations/compile-operations.ts"
import type { BodyFormat } from "./body-format.ts"
import type { Message } from "./message.ts"
import { unsupported } from "./message-problem.ts"

/** Where formidable looks for the type of a body: anywhere in the header. */
const LOOKS_LIKE_FORM = /multipart|url-?encoded/i

/**
 * Parsers differ about which bodies are forms. Spring, Go, multer and formidable read `multipart/mixed`,
 * `multipart/related` and unknown subtypes like `multipart/form-data`; formidable reads `text/plain; x=urlencoded` as a
 * form, and a form with a parameter that contains `json` as JSON.
 *
 * @throws RelayError `invalid-content-type` when some parser would read a request's body as a form that is not parsed
 * here, and fields or files of forms are encrypted, or a leak, another method or a parameter of the query must not pass
 * @throws InvalidContentTypeError when it is a form here, and could be read as something else
 */
export function refuseOtherForms(
  { direction, rawHeaders }: Message,
  format: BodyFormat,
  contentType: ContentType,
  { form, file, watchesFields }: Operations,
  leakWatch: LeakWatch,
): void {
  const isRead = form.encrypting.size + file.encrypting.size > 0 || watchesFields
  if (direction === "response" || (!isRead && leakWatch !== "block")) return
  if (format === "urlencoded" || format === "multipart") requirePlainForm(contentType)
  else if (LOOKS_LIKE_FORM.test(headerOf(rawHeaders, "content-type") ?? "")) {
    throw unsupported(direction, "The request's body is a form of a kind that is not supported.")
  }
}
