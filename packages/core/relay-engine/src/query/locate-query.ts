import { isUtf8 } from "node:buffer"
import { UnreadableBodyError } from "../body/located-body.ts"
import { EncryptedNames, takenForEncrypted } from "../form/encrypted-names.ts"
import { decodePercent, decodePercentLoosely, encodePercent } from "../form/percent-encoding.ts"
import { selectorsByName } from "../form/selectors-by-name.ts"
import { namesWithin } from "../form/urlencoded-readings.ts"

export interface QueryOptions {
  /** No parser may read another parameter as one of these. Default: none. */
  readonly encrypted: EncryptedNames
  /** Includes empty ones. Default: 10,000. */
  readonly maxParameters: number
}

/** A selected parameter. */
export interface QueryPlace {
  /** Its value is `[start, end)` of the target. */
  readonly start: number
  readonly end: number
  /** The names that select it: ascending indices. */
  readonly selectors: readonly number[]
}

const NO_NAMES = new EncryptedNames([])

const QUESTION = 0x3f
const AMPERSAND = 0x26
const EQUALS = 0x3d
const PLUS = 0x2b

/**
 * Finds the parameters of a target's query by name, parsed like that of a field of an urlencoded form (see
 * `urlencoded-readings.ts`). Every parameter with a selected name is selected; one without `=` has no value, and
 * passes.
 *
 * Parsers of queries differ in one more thing: `+` is itself in RFC 3986, and a blank in forms. Nothing else may be
 * read as an encrypted parameter in either way.
 *
 * @param target path and query, as bytes in Latin-1 characters
 * @throws UnreadableBodyError when some parser reads another parameter as an encrypted one, a name is unreadable and
 * some are encrypted, or there are more parameters than `maxParameters`
 */
export function locateQuery(
  target: string,
  names: readonly string[],
  { encrypted = NO_NAMES, maxParameters = 10_000 }: Partial<QueryOptions> = {},
): readonly QueryPlace[] {
  const selectors = selectorsByName(names)
  const bytes = Buffer.from(target, "latin1")
  const places: QueryPlace[] = []
  const queryAt = bytes.indexOf(QUESTION)
  let seen = 0
  const count = () => {
    if (++seen > maxParameters)
      throw new UnreadableBodyError("too-large", "The query has too many parameters.")
  }
  for (let start = queryAt === -1 ? bytes.length : queryAt + 1; start < bytes.length; ) {
    const ampersand = bytes.indexOf(AMPERSAND, start)
    const end = ampersand === -1 ? bytes.length : ampersand
    count()
    const parameter = bytes.subarray(start, end)
    const equals = parameter.indexOf(EQUALS)
    const spelled = equals === -1 ? parameter : parameter.subarray(0, equals)
    const name = readName(spelled)
    const found = name === null ? undefined : selectors.get(name)
    if (found !== undefined && equals !== -1) {
      places.push({ start: start + equals + 1, end, selectors: found })
    }
    if (!encrypted.isEmpty && (name === null || !encrypted.has(name))) {
      requireOneReading(parameter, name, spelled, encrypted, count)
    }
    start = end + 1
  }
  return places
}

/** @throws UnreadableBodyError when some parser reads a parameter, or a piece of it, as an encrypted one */
function requireOneReading(
  parameter: Buffer,
  name: string | null,
  spelled: Buffer,
  encrypted: EncryptedNames,
  count: () => void,
): void {
  if (name === null) throw malformed("The name of a query parameter is malformed.")
  requireNotTaken(name, encrypted)
  requireNotTaken(nameWithPlus(spelled), encrypted)
  for (const within of namesWithin(parameter)) {
    count()
    requireNotTaken(within, encrypted)
  }
}

function requireNotTaken(name: string, encrypted: EncryptedNames): void {
  const taken = encrypted.takenFor(name)
  if (taken !== null) throw malformed(takenForEncrypted(taken))
}

/** Returns the text of a parameter: UTF-8. @throws UnreadableBodyError when it is malformed */
export function queryText(target: string, { start, end }: QueryPlace): Buffer {
  const decoded = decodePercent(Buffer.from(target.slice(start, end), "latin1"))
  if (decoded === null || !isUtf8(decoded)) throw malformed("The value of a query parameter is malformed.")
  return decoded
}

/** Encodes a text for a query. */
export function writeQueryValue(text: Buffer): string {
  return encodePercent(text)
}

function readName(spelled: Buffer): string | null {
  const decoded = decodePercent(spelled)
  return decoded === null || !isUtf8(decoded) ? null : decoded.toString("utf8")
}

function nameWithPlus(spelled: Buffer): string {
  if (!spelled.includes(PLUS)) return ""
  return decodePercentLoosely(
    Buffer.from(spelled.toString("latin1").replaceAll("+", "%2B"), "latin1"),
  ).toString()
}

function malformed(detail: string): UnreadableBodyError {
  return new UnreadableBodyError("malformed", detail)
}
