/** A token in a document. */
export interface FoundToken {
  /** Its place, as a JSON Pointer (RFC 6901). */
  readonly pointer: string
  readonly token: string
}

/** No more than these are shown. */
const MAX_TOKENS = 20

/** Finds the tokens in a document, in its order, up to 20. */
export function tokensIn(document: unknown): readonly FoundToken[] {
  const found: FoundToken[] = []
  const visit = (value: unknown, pointer: string) => {
    if (found.length >= MAX_TOKENS) return
    if (typeof value === "string") {
      if (value.startsWith("ev:")) found.push({ pointer, token: value })
    } else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        visit(inner, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`)
      }
    }
  }
  visit(document, "")
  return found
}
