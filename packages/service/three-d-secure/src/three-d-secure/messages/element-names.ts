const ELEMENT_NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/
const MAX_CHARACTERS = 2_048

/** Returns `parent.child`, without list positions. An unknown name is not repeated. */
export function elementName(path: readonly PropertyKey[]): string {
  return path
    .filter((part) => typeof part !== "number")
    .map((part) => (ELEMENT_NAME.test(String(part)) ? String(part) : "?"))
    .join(".")
}

/** Lists elements for `errorDetail`: each once, as many as fit. */
export function listElements(names: readonly string[]): string {
  let list = ""
  for (const name of new Set(names)) {
    const longer = list === "" ? name : `${list},${name}`
    if (longer.length > MAX_CHARACTERS) break
    list = longer
  }
  return list
}
