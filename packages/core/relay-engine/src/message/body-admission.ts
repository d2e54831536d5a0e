import type { ContentType } from "../headers/content-type.ts"
import { ANY_TYPE, UNTYPED } from "../headers/media-signatures.ts"
import type { Operations } from "../operations/compile-operations.ts"
import type { RelayOptions } from "../routes/compile-relay.ts"
import type { BodyFormat } from "./body-format.ts"
import type { Message } from "./message.ts"

/**
 * Whether a body may pass, by its type:
 *
 * - `free`: it is read by the selections for it; or nothing in bodies is encrypted
 * - `listed`: the relay says so, if it begins like its type
 * - `tolerated`: the relay passes it whatever it contains
 * - `unless-document`: the same, but not if it begins like the JSON or XML that is encrypted
 * - `refused`: nothing describes it; or it does not say what it is, and could override the request's method
 */
export type Admission = "free" | "listed" | "tolerated" | "unless-document" | "refused"

/** Types in which no parser that respects the type looks for fields. */
const OPAQUE = /^(?:image|video|audio)\/|^application\/(?:pdf|octet-stream)$/

/**
 * Decides whether a body may pass whose route encrypts values of bodies. Only a type with a selection that encrypts is
 * described; every other one carries the same fields past the selections:
 *
 * | reader | reads |
 * |---|---|
 * | Express, PHP, Rails, Spring | JSON, XML and forms into the same object, by the type that the sender chose |
 * | Go, Sinatra, and any application that parses the body itself | JSON and XML without checking the type |
 * | Flask (`force=True`), Express (`type: () => true`) | JSON of any type |
 * | Bottle | a form of any type |
 * | a destination, by `Accept` | writes the same answer in another type |
 * | everything that takes patches | `{"op":"add","path":"/card","value":…}` as a field `card` |
 */
export function admissionOf(
  { direction }: Pick<Message, "direction">,
  format: BodyFormat,
  contentType: ContentType | null,
  operations: Operations,
  { passContentTypes, unknownContentTypes }: Pick<RelayOptions, "passContentTypes" | "unknownContentTypes">,
): Admission {
  // Rack reads it as a form, and takes the method and parameters from it.
  if (operations.watchesFields && contentType === null) return "refused"
  const type = contentType?.type ?? ""
  const isDescribed = encryptsFormat(operations, format, direction) && !isOtherPatch(type, operations)
  if (!operations.encryptsBody || isDescribed) return "free"
  if (passContentTypes.includes(type)) return type === UNTYPED ? "tolerated" : "listed"
  const passesUnknown = direction === "request" && unknownContentTypes === "pass"
  if (passContentTypes.includes(ANY_TYPE)) {
    if (format === "json" || format === "xml" || format === "multipart") return "tolerated"
    if (direction === "request" && format === "urlencoded") return "tolerated"
    if (direction === "request" && OPAQUE.test(type)) return passesUnknown ? "tolerated" : "unless-document"
  }
  return format === "other" && passesUnknown ? "tolerated" : "refused"
}

/** Those of vendors too, and `application/json-patch-query+json`. */
const PATCH = /\b(json|xml)-?patch\b/

/**
 * Whether a body says what to do with another document (RFC 6902, RFC 7351): selections for that do not find what is at
 * a place that the body names.
 */
function isOtherPatch(type: string, { encryptsPatches }: Operations): boolean {
  const [, language] = PATCH.exec(type) ?? []
  return language === "xml" || (language === "json" && !encryptsPatches)
}

/** An answer in a form's type is never encrypted: no client expects one. */
function encryptsFormat(
  { json, xml, form, file }: Operations,
  format: BodyFormat,
  direction: Message["direction"],
): boolean {
  switch (format) {
    case "json":
      return json.encrypting.size > 0
    case "xml":
      return xml.encrypting.size > 0
    case "urlencoded":
      return direction === "request" && form.encrypting.size > 0
    case "multipart":
      return form.encrypting.size + file.encrypting.size > 0
    case "other":
      return false
  }
}
