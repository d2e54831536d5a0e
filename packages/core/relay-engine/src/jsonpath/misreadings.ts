/** A way in which some reader of JSON finds a selected field where the document has another one. */
export type Misreading = "name" | "position" | "list" | "path"

/** Who does, as the end of "could be read as … by readers that". */
const READERS: Readonly<Record<Misreading, string>> = {
  name: "ignore letter case, blanks, `_` and `-`",
  position: "take a name for a position",
  list: "take one value for a list, or a list for one value",
  path: "take a dotted name for a path",
}

/** Says which selector a field could be taken for, and by whom. */
export function describeMisreadings(selector: string, misreadings: ReadonlySet<Misreading>): string {
  const readers = [...misreadings].map((each) => READERS[each]).join(", or ")
  return `A field could be read as \`${selector}\` by readers that ${readers}: rename it, or set caseSensitiveNames.`
}
