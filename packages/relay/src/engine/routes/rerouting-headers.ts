const METHOD_HEADERS: ReadonlySet<string> = new Set([
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
])
const PATH_HEADERS: ReadonlySet<string> = new Set(["x-original-url", "x-rewrite-url"])

/** Whether a request tells its destination to take it for one of another method. */
export function changesMethod(method: string, rawHeaders: readonly string[]): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (METHOD_HEADERS.has(rawHeaders[index]?.toLowerCase() ?? "") && rawHeaders[index + 1] !== method)
      return true
  }
  return false
}

/** Whether a request tells its destination to take it for one of another path. */
export function changesPath(rawHeaders: readonly string[]): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (PATH_HEADERS.has(rawHeaders[index]?.toLowerCase() ?? "")) return true
  }
  return false
}
