export const SELECTION_TYPES = ["json", "form", "query", "header", "xml", "file"] as const
/** Where a selection looks: the body's format, the target's query, the headers, or the files of a multipart body. */
export type SelectionType = (typeof SELECTION_TYPES)[number]

/** Which values an action is for. */
export interface Selection {
  readonly type: SelectionType
  /** JSONPath (RFC 9535) for `json` and `xml`; the name of a field, file, parameter or header for the others. */
  readonly selector: string
  /** Of `xml`: namespaces by the prefixes that the selector has for them. Without it, prefixes are taken literally. */
  readonly namespaces?: Readonly<Record<string, string>>
  /** The data role that values are encrypted with; null for none. Means nothing to `decrypt`. */
  readonly role: string | null
}

export interface Action {
  readonly action: "encrypt" | "decrypt"
  readonly selections: readonly Selection[]
}

/** What is done with requests of a path, and with what is answered to them. */
export interface Route {
  /** Upper case. Null: every method. */
  readonly method: string | null
  /** `/`, literal segments, `*` for one segment, `/**` at the end for all that follow. */
  readonly path: string
  readonly request: readonly Action[]
  readonly response: readonly Action[]
}
