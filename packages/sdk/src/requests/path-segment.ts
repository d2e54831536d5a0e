/**
 * Encodes an id so that it cannot lead to another path.
 *
 * @throws TypeError for what no id is: nothing, and the dots that URLs resolve
 */
export function pathSegment(name: string, id: unknown): string {
  if (typeof id !== "string" || id === "" || id === "." || id === ".." || !id.isWellFormed()) {
    throw new TypeError(`${name} must be an id.`)
  }
  return encodeURIComponent(id)
}
