import { UnreadableBodyError } from "../body/located-body.ts"
import { type EncryptedNames, takenForEncrypted } from "./encrypted-names.ts"
import type { PartHead } from "./part-head.ts"

/** The encrypted fields and files of a multipart form, by name. */
export interface EncryptedParts {
  readonly fields: EncryptedNames
  readonly files: EncryptedNames
}

/** Whether a form has no encrypted parts. */
export function hasNoneEncrypted({ fields, files }: EncryptedParts): boolean {
  return fields.isEmpty && files.isEmpty
}

/**
 * Parsers differ about the name of a part, and whether it is a field or a file. Refuses a part that some parser reads
 * as an encrypted field or file, when it is not encrypted here:
 *
 * | parser | reads |
 * |---|---|
 * | see `EncryptedNames` | other names as one that is encrypted |
 * | Tomcat (Spring) | `name="=?utf-8?q?card?="` as `card` |
 * | formidable | the first `name=` in the disposition, even in `filename="name=card"` |
 * | Rack (Rails) | the last one; and `Content-Disposition:` within another header |
 * | Django, Go, busboy (multer) | `filename=""` as no filename: a field |
 * | formidable | what has no Content-Type as a field, and what has one as a file, whatever its filename |
 * | busboy (multer) | what is `application/octet-stream` as a file |
 * | Python's cgi, FormData | a file by the same call as a field |
 *
 * @throws UnreadableBodyError
 */
export function requireOneReading({ name, filename, hints }: PartHead, encrypted: EncryptedParts): void {
  if (hasNoneEncrypted(encrypted)) return
  const { fields, files } = encrypted
  if (!hints.hasOneName || name.includes("=?")) {
    throw new UnreadableBodyError(
      "malformed",
      "A part's name is written in a way that parsers read differently.",
    )
  }
  const isEncrypted = filename === null ? fields.has(name) : files.has(name)
  if (isEncrypted) return
  const isFile = filename !== null || hints.hasContentType
  const taken = fields.takenFor(name) ?? (isFile ? files.takenFor(name) : null)
  if (taken !== null) throw new UnreadableBodyError("malformed", takenForEncrypted(taken))
}
