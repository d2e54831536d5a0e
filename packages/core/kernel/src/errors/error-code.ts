/** Returns the `code` of an error of Node.js or of a library, such as `ENOENT`; empty when it has none. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""
}
