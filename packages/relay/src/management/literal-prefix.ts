import { prefixesOf, type Selection } from "@sealway/relay-engine"

/** The warning about a selection with `hasLiteralPrefix`. */
export const LITERAL_PREFIX =
  "The selector finds this prefix only: a document with another prefix for the same namespace evades it. Name the namespace in `namespaces`."

/** Whether a selection matches prefixes of XML names literally. Its selector must compile. */
export function hasLiteralPrefix(selection: Selection | undefined): boolean {
  if (selection?.type !== "xml" || selection.namespaces !== undefined) return false
  return prefixesOf(selection.selector).length > 0
}
