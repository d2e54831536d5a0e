import { unescapeJsonString } from "./decode-json-string.ts"
import { scanJson } from "./scan-json.ts"

/** A name stands twice in one object, so two readers could see two different requests. */
export class DuplicateKeyError extends Error {
  override readonly name = "DuplicateKeyError"
}

/**
 * Parses a request's own parameters: like `JSON.parse`, but refuses duplicate names and deep nesting.
 * A member named `__proto__` becomes an own property; nobody's prototype is touched.
 *
 * @throws JsonSyntaxError, JsonDepthError, DuplicateKeyError
 */
export function parseStrictJson(bytes: Buffer, maxDepth: number): unknown {
  const names: Set<string>[] = []
  scanJson(
    bytes,
    {
      open: () => names.push(new Set()),
      close: () => names.pop(),
      scalar: () => undefined,
      key(start, end) {
        const name = unescapeJsonString(bytes, start, end)
        const seen = names.at(-1)
        if (seen?.has(name)) throw new DuplicateKeyError("A member name stands twice in one object")
        seen?.add(name)
      },
    },
    maxDepth,
  )
  return JSON.parse(bytes.toString("utf8"))
}
