import { SelectorError } from "../errors/selector-error.ts"
import { decodePercent } from "./decode-percent.ts"

const MAX_PATTERN_CHARACTERS = 1024

/** One segment of any non-empty text. */
const ANY = null

/** A parsed route path. */
export interface PathPattern {
  /** Bytes as Latin-1 characters, percent-decoded; null for `*`. */
  readonly segments: readonly (string | null)[]
  /** The same in lower case. */
  readonly folded: readonly (string | null)[]
  /** Whether any number of segments may follow, including none: `/**`. */
  readonly isOpen: boolean
}

/**
 * Parses `/`, literal segments, `*` for one segment and `/**` at the end for all that follow, so `/api/**` matches
 * `/api` too. A trailing slash is ignored, here and in requests.
 *
 * @throws SelectorError
 */
export function compilePathPattern(path: string): PathPattern {
  if (!path.startsWith("/")) throw new SelectorError("A path must begin with `/`.", 0)
  if (path.length > MAX_PATTERN_CHARACTERS) {
    throw new SelectorError(`A path can have at most ${MAX_PATTERN_CHARACTERS} characters.`, null)
  }
  const parts = path.slice(1).split("/")
  if (parts.at(-1) === "") parts.pop()
  const isOpen = parts.at(-1) === "**"
  if (isOpen) parts.pop()
  let position = 1
  const segments = parts.map((part) => {
    const segment = readSegment(part, position)
    position += part.length + 1
    return segment
  })
  return { segments, folded: segments.map((segment) => segment?.toLowerCase() ?? ANY), isOpen }
}

/** Whether only one path matches the pattern. */
export function isLiteral({ segments, isOpen }: PathPattern): boolean {
  return !isOpen && !segments.includes(ANY)
}

/**
 * Whether a path, given as segments, matches the pattern.
 *
 * @param isFolded whether the segments are in lower case, and must be compared so
 */
export function matchesPath(pattern: PathPattern, segments: readonly string[], isFolded: boolean): boolean {
  const wanted = isFolded ? pattern.folded : pattern.segments
  if (pattern.isOpen ? segments.length < wanted.length : segments.length !== wanted.length) return false
  for (let index = 0; index < wanted.length; index++) {
    const segment = wanted[index]
    if (segment === ANY ? segments[index] === "" : segments[index] !== segment) return false
  }
  return true
}

function readSegment(part: string, position: number): string | null {
  if (part === "*") return ANY
  if (part === "") throw new SelectorError("A path must not have empty segments.", position)
  if (part.includes("*")) {
    throw new SelectorError("`*` must be a whole segment, and `**` is allowed only at the end.", position)
  }
  if (/[?#]/.test(part)) throw new SelectorError("A path must not have a query or a fragment.", position)
  if (/%(?![0-9A-Fa-f]{2})/.test(part)) {
    throw new SelectorError("`%` must be followed by two hexadecimal digits.", position)
  }
  const text = decodePercent(Buffer.from(part, "utf8").toString("latin1"))
  // Servers handle these differently, so such a path could be spelled in ways that do not match.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (text === "." || text === ".." || /[/\\;%?#\u0000-\u001f\u007f]/.test(text)) {
    throw new SelectorError(
      "A segment must not be `.` or `..`, or contain a slash, backslash, semicolon, percent sign or control character.",
      position,
    )
  }
  return text
}
