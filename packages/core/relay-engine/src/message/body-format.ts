import type { ContentType } from "../headers/content-type.ts"
import type { Operations } from "../operations/compile-operations.ts"

/** The formats that can be read; `other` is passed on unread. */
export type BodyFormat = "json" | "xml" | "urlencoded" | "multipart" | "other"

export function formatOf(contentType: ContentType | null): BodyFormat {
  const type = contentType?.type ?? ""
  if (type === "application/x-www-form-urlencoded") return "urlencoded"
  if (type === "multipart/form-data") return "multipart"
  if (type.endsWith("/json") || type.endsWith("+json")) return "json"
  if (type.endsWith("/xml") || type.endsWith("+xml")) return "xml"
  return "other"
}

/** Whether some of a message's operations apply to bodies of a format, or need something of them. */
export function isForFormat(
  { json, xml, form, file, subjects, watchesFields }: Operations,
  format: BodyFormat,
): boolean {
  switch (format) {
    case "json":
      return watchesFields || json.operations.length > 0 || subjects.some(({ path }) => path !== null)
    case "xml":
      return xml.operations.length > 0
    case "urlencoded":
      return watchesFields || form.operations.length > 0
    case "multipart":
      return watchesFields || form.operations.length + file.operations.length > 0
    case "other":
      return false
  }
}
