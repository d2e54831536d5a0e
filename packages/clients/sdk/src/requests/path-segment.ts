import { InvalidIdError } from "../errors/errors.ts"

/**
 * Encodes an id so that it cannot lead to another path.
 *
 * @throws InvalidIdError for what no id is: nothing, and the dots that URLs resolve
 */
export function pathSegment(name: string, id: unknown): string {
  if (typeof id !== "string" || id === "" || id === "." || id === ".." || !id.isWellFormed()) {
    throw new InvalidIdError(`${name} must be an id.`)
  }
  return encodeURIComponent(id)
}
