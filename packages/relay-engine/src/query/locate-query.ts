import { isUtf8 } from "node:buffer"
import { UnreadableBodyError } from "../body/located-body.ts"
import { EncryptedNames, TAKEN_FOR_ENCRYPTED } from "../form/encrypted-names.ts"
import { decodePercent, decodePercentLoosely, encodePercent } from "../form/percent-encoding.ts"
import { selectorsByName } from "../form/selectors-by-name.ts"
import { namesWithin } from "../form/urlencoded-readings.ts"

export interface QueryOptions {
  /** No reader may take another parameter for one of these. Default: none. */
  readonly encrypted: EncryptedNames
  /** Empty ones count. Default: 10,000. */
  readonly maxParameters: number
}

/** A parameter that is selected. */
export interface QueryPlace {
  /** Its value is `[start, end)` of the target. */
  readonly start: number
  readonly end: number
  /** Which of the names select it: indices, ascending. */
  readonly selectors: readonly number[]
}

const NO_NAMES = new EncryptedNames([])

const QUESTION = 0x3f
const AMPERSAND = 0x26
const EQUALS = 0x3d
const PLUS = 0x2b

/**
 * Finds the parameters of a target's query by name, which is read as that of a field of an urlencoded form (see
 * `urlencoded-readings.ts`). Every parameter of a selected name is selected; one without `=` has no value, and passes.
 *
 * Readers of queries differ in one more thing: RFC 3986 has `+` for itself, forms have it for a blank. Nothing else may
 * be taken for a parameter that is encrypted by either reading.
 *
 * @param target path and query, as bytes in Latin-1 characters
 * @throws UnreadableBodyError when some reader takes another parameter for one that is encrypted, a name cannot be read
 * where some are encrypted, or there are more parameters than `maxParameters`
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

/** @throws UnreadableBodyError when some reader takes a parameter, or a piece of it, for an encrypted one */
function requireOneReading(
  parameter: Buffer,
  name: string | null,
  spelled: Buffer,
  encrypted: EncryptedNames,
  count: () => void,
): void {
  if (name === null) throw malformed("The name of a query's parameter is malformed.")
  if (encrypted.isTakenFor(name) || encrypted.isTakenFor(nameWithPlus(spelled))) {
    throw malformed(TAKEN_FOR_ENCRYPTED)
  }
  for (const within of namesWithin(parameter)) {
    count()
    if (encrypted.isTakenFor(within)) throw malformed(TAKEN_FOR_ENCRYPTED)
  }
}

/** What a parameter says: UTF-8. @throws UnreadableBodyError when it is malformed */
export function queryText(target: string, { start, end }: QueryPlace): Buffer {
  const decoded = decodePercent(Buffer.from(target.slice(start, end), "latin1"))
  if (decoded === null || !isUtf8(decoded)) throw malformed("The value of a query's parameter is malformed.")
  return decoded
}

/** What is put into a query for a text. */
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
