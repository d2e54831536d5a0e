/** Returns the JSON Pointer (RFC 6901) of a path. */
export function jsonPointer(path: readonly (string | number)[]): string {
  return path.map((name) => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
}
