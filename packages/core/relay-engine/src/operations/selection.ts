export const SELECTION_TYPES = ["json", "form", "query", "header", "xml", "file"] as const
/** Where a selection looks: the body's format, the target's query, the headers, or the files of a multipart body. */
export type SelectionType = (typeof SELECTION_TYPES)[number]

/** The values that an action applies to. */
export interface Selection {
  readonly type: SelectionType
  /** JSONPath (RFC 9535) for `json` and `xml`; the name of a field, file, parameter or header for the others. */
  readonly selector: string
  /** For `xml`: namespaces by the selector's prefixes. Without it, prefixes are matched literally. */
  readonly namespaces?: Readonly<Record<string, string>>
  /** The data role for encrypting values; null for none. Ignored by `decrypt`. */
  readonly role: string | null
}

export const SUBJECT_SOURCES = ["header", "json"] as const

/** Where a message has its sender's own id of a data subject. */
export interface SubjectSource {
  readonly type: (typeof SUBJECT_SOURCES)[number]
  /** JSONPath (RFC 9535) for `json`; the name of a header. */
  readonly selector: string
}

export interface Action {
  readonly action: "encrypt" | "decrypt"
  /** For `encrypt`: whose key seals the values. Absent: they belong to no data subject. */
  readonly dataSubject?: SubjectSource
  readonly selections: readonly Selection[]
}

/** What to do with requests for a path, and with the answers to them. */
export interface Route {
  /** Upper case. Null: every method. */
  readonly method: string | null
  /** `/`, literal segments, `*` for one segment, `/**` at the end for all that follow. */
  readonly path: string
  readonly request: readonly Action[]
  readonly response: readonly Action[]
}
