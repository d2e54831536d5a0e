const ELEMENT_NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/
const MAX_CHARACTERS = 2_048

/** `parent.child`, without places in lists. A name that no element has is not repeated. */
export function elementName(path: readonly PropertyKey[]): string {
  return path
    .filter((part) => typeof part !== "number")
    .map((part) => (ELEMENT_NAME.test(String(part)) ? String(part) : "?"))
    .join(".")
}

/** Elements as `errorDetail` lists them: each once, and as many as there is room for. */
export function listElements(names: readonly string[]): string {
  let list = ""
  for (const name of new Set(names)) {
    const longer = list === "" ? name : `${list},${name}`
    if (longer.length > MAX_CHARACTERS) break
    list = longer
  }
  return list
}
