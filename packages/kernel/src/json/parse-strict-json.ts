import { SealwayError } from "../errors.ts"
import { decodeJsonString, unescapeJsonString } from "./decode-json-string.ts"
import { isExactNumber } from "./exact-number.ts"
import { scanJson } from "./scan-json.ts"

/** JSON that two readers could take for two different things. */
export class AmbiguousJsonError extends SealwayError {
  override readonly name = "AmbiguousJsonError"
  constructor(detail: string, options?: ErrorOptions) {
    super("invalid-request", detail, options)
  }
}

/**
 * Parses a request's own parameters: like `JSON.parse`, but refuses what I-JSON (RFC 7493) forbids, which is a name that
 * stands twice in an object, text with a lone surrogate and a number that a double cannot hold. It refuses a member
 * named `__proto__` too, anywhere: schemas (zod's `object` and `record` among them) drop it without a word, so that a
 * token would be issued for another document than was sent. So what was parsed is all that was said.
 *
 * @throws JsonSyntaxError, JsonDepthError, AmbiguousJsonError
 */
export function parseStrictJson(bytes: Buffer, maxDepth: number): unknown {
  const names: Set<string>[] = []
  scanJson(
    bytes,
    {
      open: () => names.push(new Set()),
      close: () => names.pop(),
      scalar(kind, start, end) {
        if (kind === "number" && !isExactNumber(bytes.toString("latin1", start, end))) {
          throw new AmbiguousJsonError("A number has more digits, or is larger, than can be kept")
        }
        if (kind === "escaped-string" && decodeJsonString(bytes, true, start, end) === null) {
          throw new AmbiguousJsonError("A string has a lone surrogate")
        }
      },
      key(start, end) {
        const name = unescapeJsonString(bytes, start, end)
        if (!name.isWellFormed()) throw new AmbiguousJsonError("A member name has a lone surrogate")
        if (name === "__proto__")
          throw new AmbiguousJsonError("A member is named __proto__, which readers may drop")
        const seen = names.at(-1)
        if (seen?.has(name)) throw new AmbiguousJsonError("A member name stands twice in one object")
        seen?.add(name)
      },
    },
    maxDepth,
  )
  return JSON.parse(bytes.toString("utf8"))
}
