import { decodePercent } from "./decode-percent.ts"

/** More rounds of decoding than any chain of servers does. */
const MAX_DECODINGS = 4

const AMBIGUOUS = /[%\\;#]|\/\/|\/\.{1,2}(?:\/|$)/

/** Whether servers may read a path in more than one way, ignoring case. */
export function isAmbiguous(path: string): boolean {
  return AMBIGUOUS.test(path)
}

/** Splits a path as this relay reads it: at its slashes, then percent-decoded once. A trailing slash is ignored. */
export function segmentsOf(path: string): readonly string[] {
  const segments = path.slice(1).split("/")
  if (segments.at(-1) === "") segments.pop()
  return path.includes("%") ? segments.map(decodePercent) : segments
}

/**
 * Returns the other ways in which servers read paths: they decode before splitting, or twice, read `\` as `/`, cut off
 * `;parameters`, drop empty segments, resolve `.` and `..`, or end the path at an encoded `?`, `#` or NUL; in any
 * combination. Empty for a plain path.
 */
export function otherReadings(path: string): readonly (readonly string[])[] {
  if (!isAmbiguous(path)) return []
  let texts = new Set(decodings(path))
  for (const read of [cutEnd, slashesOf, withoutParameters, withoutEmpty, resolved, withoutEmpty]) {
    texts = new Set([...texts, ...[...texts].map(read)])
  }
  return [...texts].map(segmentsOf)
}

function decodings(path: string): string[] {
  const texts = [path]
  for (let text = decodePercent(path); text !== texts.at(-1) && texts.length <= MAX_DECODINGS; ) {
    texts.push(text)
    text = decodePercent(text)
  }
  return texts
}

function cutEnd(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: some servers end strings at NUL
  const end = path.search(/[?#\u0000]/)
  return end === -1 ? path : path.slice(0, end)
}

function slashesOf(path: string): string {
  return path.replaceAll("\\", "/")
}

function withoutParameters(path: string): string {
  return path.replace(/;[^/]*/g, "")
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
