import { PayloadTooLargeError, SealwayError } from "../errors/errors.ts"
import { finish, type Work } from "../work/work.ts"
import { unescapeJsonString } from "./decode-json-string.ts"
import { isExactNumber } from "./exact-number.ts"
import { type JsonSink, type ScalarKind, scanJsonInSteps } from "./scan-json.ts"

/** The JSON could be read in two different ways. */
export class AmbiguousJsonError extends SealwayError {
  override readonly name = "AmbiguousJsonError"
  constructor(detail: string, options?: ErrorOptions) {
    super("invalid-request", detail, options)
  }
}

/**
 * Parses a request's own parameters: like `JSON.parse`, but refuses what I-JSON (RFC 7493) forbids: a duplicate name in
 * an object, text with a lone surrogate and a number that a double cannot represent. It also refuses a field named
 * `__proto__` anywhere: schemas (zod's `object` and `record` among them) drop it silently, so a token would be issued
 * for a different document than was sent. So the result is everything that was sent.
 *
 * An object may have 100,000 fields: listing the names of more blocks all other requests.
 *
 * @throws JsonSyntaxError, JsonDepthError, AmbiguousJsonError, PayloadTooLargeError
 */
export function parseStrictJson(bytes: Buffer, maxDepth: number): unknown {
  return finish(parseStrictJsonInSteps(bytes, maxDepth))
}

/** `parseStrictJson`, in steps. The value is built during the scan, because `JSON.parse` cannot be interrupted. */
export function* parseStrictJsonInSteps(bytes: Buffer, maxDepth: number): Work<unknown> {
  const builder = new StrictBuilder(bytes)
  yield* scanJsonInSteps(bytes, builder, maxDepth)
  return builder.value
}

const MAX_MEMBERS = 100_000

type Container = unknown[] | Record<string, unknown>

class StrictBuilder implements JsonSink {
  /** The result, when everything was read. */
  value: unknown = null
  readonly #bytes: Buffer
  readonly #open: Container[] = []
  /** The names of the fields being read. */
  readonly #names: string[] = []
  /** The number of fields in each open object. */
  readonly #counts: number[] = []

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  open(container: "object" | "array"): void {
    const opened: Container = container === "object" ? {} : []
    this.#add(opened)
    this.#open.push(opened)
    this.#names.push("")
    this.#counts.push(0)
  }

  close(): void {
    this.#open.pop()
    this.#names.pop()
    this.#counts.pop()
  }

  key(start: number, end: number): void {
    const name = unescapeJsonString(this.#bytes, start, end)
    if (!name.isWellFormed()) throw new AmbiguousJsonError("a field name has a lone surrogate")
    if (name === "__proto__")
      throw new AmbiguousJsonError("a field is named __proto__, which some parsers drop")
    if (Object.hasOwn(this.#open.at(-1) ?? {}, name)) {
      throw new AmbiguousJsonError("an object has the same field name twice")
    }
    const last = this.#names.length - 1
    this.#names[last] = name
    const count = (this.#counts[last] ?? 0) + 1
    if (count > MAX_MEMBERS) throw new PayloadTooLargeError("An object has more than 100,000 fields.")
    this.#counts[last] = count
  }

  scalar(kind: ScalarKind, start: number, end: number): void {
    this.#add(this.#scalarOf(kind, start, end))
  }

  #scalarOf(kind: ScalarKind, start: number, end: number): string | number | boolean | null {
    switch (kind) {
      case "string":
        return this.#bytes.toString("utf8", start + 1, end - 1)
      case "escaped-string": {
        const text = unescapeJsonString(this.#bytes, start, end)
        if (!text.isWellFormed()) throw new AmbiguousJsonError("a string has a lone surrogate")
        return text
      }
      case "number": {
        const literal = this.#bytes.toString("latin1", start, end)
        if (!isExactNumber(literal)) {
          throw new AmbiguousJsonError("a number has too many digits, or is too large")
        }
        return Number(literal)
      }
      case "boolean":
        return end - start === "true".length
      case "null":
        return null
    }
  }

  #add(value: unknown): void {
    const container = this.#open.at(-1)
    if (container === undefined) this.value = value
    else if (Array.isArray(container)) container.push(value)
    else container[this.#names.at(-1) ?? ""] = value
  }
}
