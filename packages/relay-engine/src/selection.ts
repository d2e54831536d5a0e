export const SELECTION_TYPES = ["json", "form", "header", "xml", "file"] as const
/** Where a selection looks: the body's format, the headers, or the files of a multipart body. */
export type SelectionType = (typeof SELECTION_TYPES)[number]

/** Which values an action is for. */
export interface Selection {
  readonly type: SelectionType
  /** JSONPath (RFC 9535) for `json` and `xml`, a field's name for `form` and `file`, a header's name for `header`. */
  readonly selector: string
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
