import { decodePercent } from "./decode-percent.ts"

/** More rounds of decoding than any chain of servers does. */
const MAX_DECODINGS = 4
/** A path with more readings is spelled to have them: ordinary ones have fewer than ten. */
const MAX_READINGS = 400

/** What every server reads alike: slashes one by one, and characters that no server decodes, cuts off or resolves. */
const IS_PLAIN = /^(?:\/[\w~!$&'*+,=:@-]+)*\/?$/

/** The same with dots in names: only extensions are read in other ways. */
const HAS_EXTENSIONS = /^(?:\/[\w~!$&'*+,=:@-](?:[\w~!$&'*+,=:@.-]*[\w~!$&'*+,=:@-])?)*\/?$/

/** Whether servers may read a path in more than one way, ignoring case. */
export function isAmbiguous(path: string): boolean {
  return !IS_PLAIN.test(path)
}

/** Splits a path as this relay reads it: at its slashes, then percent-decoded once. A trailing slash is ignored. */
export function segmentsOf(path: string): readonly string[] {
  const segments = path.slice(1).split("/")
  if (segments.at(-1) === "") segments.pop()
  return path.includes("%") ? segments.map(decodePercent) : segments
}

/** Each returns what some server makes of a path, in the order in which a chain of servers does that. */
const READERS: readonly ((path: string) => readonly string[])[] = [
  (path) => [withUnicode(path)],
  (path) => [cutEnd(path)],
  (path) => [path.replaceAll("\\", "/")],
  (path) => [path.replace(/;[^/]*/g, "")],
  (path) => [path.replace(/\/\([a-z]\([^/]*\)\)(?=\/|$)/gi, "") || "/"],
  (path) => [withoutUnprintable(path)],
  (path) => [withoutEmpty(path)],
  (path) => [resolved(path)],
  (path) => [withoutEmpty(path)],
]
const SHORTENERS = [aroundScripts, withoutExtension]

/** The ways in which servers read a path besides this relay's, as segments. */
export interface PathReadings {
  /** The same path. */
  readonly same: readonly (readonly string[])[]
  /** The path of what serves it: a script or a router that takes a part of the path for something else. */
  readonly within: readonly (readonly string[])[]
}

const PLAIN: PathReadings = { same: [], within: [] }

/**
 * Returns the other ways in which servers read paths, in any combination. None for a plain path.
 *
 * | server | reads |
 * |---|---|
 * | many | a path decoded before it is split, or twice; `\` as `/`; no `;parameters`; no empty segments; `.` and `..` resolved; an end at an encoded `?`, `#` or NUL |
 * | Starlette (FastAPI) | `/pay%0a` as `/pay`, because `$` matches before a line feed |
 * | Bottle | `/p%ffay` as `/pay`: bytes that are not UTF-8 are dropped |
 * | IIS, Windows | blanks and dots at the end of a name as nothing; `%u0070` as `p` |
 * | ASP.NET | `/(S(x))/pay` as `/pay`: a session without cookies |
 * | Rails (ActionDispatch) | `/pay.json`, with any extension, as within `/pay` |
 * | Symfony, Laravel, PHP behind any server | `/index.php/pay` as `/pay`; the server runs `/pay.php` for `/pay.php/x` |
 *
 * @returns null when there are too many
 */
export function otherReadings(path: string): PathReadings | null {
  if (!isAmbiguous(path)) return PLAIN
  const same = new Set([path])
  if (!HAS_EXTENSIONS.test(path)) {
    for (const text of decodings(path)) same.add(text)
    if (!readAll(same, READERS)) return null
  }
  const all = new Set(same)
  if (!readAll(all, SHORTENERS)) return null
  return { same: [...same].slice(1).map(segmentsOf), within: [...all].slice(same.size).map(segmentsOf) }
}

/** Adds what readers make of texts, one after another. @returns false when there are too many */
function readAll(texts: Set<string>, readers: readonly ((path: string) => readonly string[])[]): boolean {
  for (const read of readers) {
    for (const text of [...texts]) {
      for (const other of read(text)) texts.add(other)
      if (texts.size > MAX_READINGS) return false
    }
  }
  return true
}

function decodings(path: string): string[] {
  const texts = [path]
  for (let text = decodePercent(path); text !== texts.at(-1) && texts.length <= MAX_DECODINGS; ) {
    texts.push(text)
    text = decodePercent(text)
  }
  return texts
}

function withUnicode(path: string): string {
  return path.replace(/%u([0-9a-f]{4})/gi, (_, digits: string) =>
    Buffer.from(String.fromCharCode(Number.parseInt(digits, 16))).toString("latin1"),
  )
}

function cutEnd(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: some servers end strings at NUL
  const end = path.search(/[?#\u0000]/)
  return end === -1 ? path : path.slice(0, end)
}

/** Removes control characters, bytes that are not UTF-8, and blanks and dots at the end of a segment. */
function withoutUnprintable(path: string): string {
  if (!/[^!-~]|\.(?:\/|$)/.test(path)) return path
  const utf8 = Buffer.from(path, "latin1").toString("utf8").replaceAll("\ufffd", "")
  const printable = Buffer.from(utf8)
    .toString("latin1")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
    .replace(/[\u0000-\u001f\u007f]/g, "")
  return printable
    .split("/")
    .map((segment) => segment.slice(0, endOfName(segment)))
    .join("/")
}

function endOfName(segment: string): number {
  let end = segment.length
  if (segment === "." || segment === "..") return end
  while (end > 0 && (segment[end - 1] === " " || segment[end - 1] === ".")) end--
  return end
}

function withoutEmpty(path: string): string {
  return path.replace(/\/{2,}/g, "/")
}

/** RFC 3986, section 5.2.4. */
function resolved(path: string): string {
  const segments = path.split("/")
  const kept: string[] = []
  for (const segment of segments.slice(1)) {
    if (segment === "..") kept.pop()
    else if (segment !== ".") kept.push(segment)
  }
  const last = segments.at(-1)
  const end = last === "." || last === ".." ? "/" : ""
  return `/${kept.join("/")}${kept.length > 0 ? end : ""}`
}

/** Returns the path of each PHP script in a path, and what follows it: the path for the script's own router. */
function aroundScripts(path: string): readonly string[] {
  if (!/\.ph/i.test(path)) return []
  return [...path.matchAll(/\.ph(?:p\d?|tml)(?=\/|$)/gi)].flatMap(({ 0: { length }, index }) => {
    const end = index + length
    return [path.slice(0, end), path.slice(end) || "/"]
  })
}

/** Returns a path without the last extension of its name, and without all of them. */
function withoutExtension(path: string): readonly string[] {
  const end = path.endsWith("/") ? path.length - 1 : path.length
  const nameAt = path.lastIndexOf("/", end - 1) + 1
  const first = path.indexOf(".", nameAt + 1)
  if (first === -1 || first >= end) return []
  return [path.slice(0, first), path.slice(0, path.lastIndexOf(".", end - 1))]
}
