import { prefixesOf, type Selection } from "@sealway/relay-engine"

/** The warning about a selection with `hasLiteralPrefix`. */
export const LITERAL_PREFIX =
  "The selector matches only this prefix, so a document that uses another prefix for the same namespace evades it. Declare the namespace in `namespaces`."

/** Whether a selection matches prefixes of XML names literally. Its selector must compile. */
export function hasLiteralPrefix(selection: Selection | undefined): boolean {
  if (selection?.type !== "xml" || selection.namespaces !== undefined) return false
  return prefixesOf(selection.selector).length > 0
}
