import { isUtf8 } from "node:buffer"
import { finish, Pace, type Work } from "@sealway/kernel"
import { encodeInSteps } from "../body/encode-in-steps.ts"
import {
  atOnceUnlessLarge,
  type FieldName,
  type LocatedBody,
  type LocatedValue,
  UnreadableBodyError,
} from "../body/located-body.ts"
import { EncryptedNames, takenForEncrypted } from "./encrypted-names.ts"
import {
  decodePercent,
  decodePercentInSteps,
  decodePercentLooselyInSteps,
  encodePercent,
} from "./percent-encoding.ts"
import { NO_SELECTORS, selectorsByName } from "./selectors-by-name.ts"
import { namesWithin, requireForm, requireNoDocument } from "./urlencoded-readings.ts"

export interface UrlencodedOptions {
  /** Includes empty ones, and pieces of a field that some parser reads as fields. Default: 10,000. */
  readonly maxFields: number
  /** No parser may read another field as one of these. Default: none. */
  readonly encrypted: EncryptedNames
}

const FIELDS_PER_STEP = 64

const NO_NAMES = new EncryptedNames([])

const AMPERSAND = 0x26
const EQUALS = 0x3d

/**
 * Locates the values of an `application/x-www-form-urlencoded` body in UTF-8: fields are split at each `&`, names from
 * values at the first `=`. Every field with a selected name is selected. A field without `=` has no value, and passes.
 *
 * Names are strict: one that is not percent-encoded UTF-8 is read differently elsewhere, so the body is refused. So is
 * one with a field that some parser reads as an encrypted one, or that some parser reads as another document (see
 * `urlencoded-readings.ts`).
 *
 * @throws UnreadableBodyError when a name is unreadable or ambiguous, or there are more fields than `maxFields`
 */
export function locateUrlencoded(
  bytes: Buffer,
  names: readonly string[],
  options: Partial<UrlencodedOptions> = {},
): LocatedBody {
  return finish(locateUrlencodedInSteps(bytes, names, options))
}

/** `locateUrlencoded`, in steps. */
export function* locateUrlencodedInSteps(
  bytes: Buffer,
  names: readonly string[],
  { maxFields = 10_000, encrypted = NO_NAMES }: Partial<UrlencodedOptions> = {},
): Work<LocatedBody> {
  const selectors = selectorsByName(names)
  const selected: LocatedValue[] = []
  const unselected: LocatedValue[] = []
  const seen: FieldName[] = []
  const pace = new Pace(FIELDS_PER_STEP)
  let fields = 0
  const count = () => {
    if (++fields > maxFields) throw new UnreadableBodyError("too-large", "The form has too many fields.")
  }
  if (!encrypted.isEmpty) requireForm(bytes)
  for (let start = 0; start < bytes.length; ) {
    const ampersand = bytes.indexOf(AMPERSAND, start)
    const end = ampersand === -1 ? bytes.length : ampersand
    count()
    if (pace.isDue(end - start)) yield
    const field = bytes.subarray(start, end)
    const equals = field.indexOf(EQUALS)
    const name = readName(equals === -1 ? field : field.subarray(0, equals))
    seen.push({ text: name, path: name })
    if (equals !== -1) {
      const value: LocatedValue = {
        start: start + equals + 1,
        end,
        type: "string",
        selectors: selectors.get(name) ?? NO_SELECTORS,
      }
      if (value.selectors.length > 0) selected.push(value)
      else unselected.push(value)
    }
    if (!encrypted.isEmpty && equals === -1) requireNoDocument(name)
    if (!encrypted.isEmpty && !encrypted.has(name)) yield* requireOneReading(field, name, encrypted, count)
    start = end + 1
  }
  return {
    selected,
    unselected: () => unselected,
    text: ({ start, end }) => atOnceUnlessLarge(readText(bytes.subarray(start, end)), end - start),
    looseText: ({ start, end }) =>
      atOnceUnlessLarge(decodePercentLooselyInSteps(bytes.subarray(start, end)), end - start),
    names: () => seen,
    path: ({ start }) => readName(bytes.subarray(bytes.lastIndexOf(AMPERSAND, start - 1) + 1, start - 1)),
    write: (_value, _type, text) =>
      encodeInSteps(text, encodePercent, (bytes, start, end) => bytes.subarray(start, end)),
  }
}

/** @throws UnreadableBodyError when some parser reads a field, or a piece of it, as an encrypted one */
function* requireOneReading(
  field: Buffer,
  name: string,
  encrypted: EncryptedNames,
  count: () => void,
): Work<void> {
  requireNotTaken(name, encrypted)
  const pace = new Pace(FIELDS_PER_STEP)
  for (const within of namesWithin(field)) {
    count()
    if (pace.isDue(within.length)) yield
    requireNotTaken(within, encrypted)
  }
}

function requireNotTaken(name: string, encrypted: EncryptedNames): void {
  const taken = encrypted.takenFor(name)
  if (taken !== null) throw malformed(takenForEncrypted(taken))
}

function readName(encoded: Buffer): string {
  const decoded = decodePercent(encoded)
  if (decoded === null || !isUtf8(decoded)) throw malformed("A field's name is malformed.")
  return decoded.toString("utf8")
}

function* readText(encoded: Buffer): Work<Buffer> {
  const decoded = yield* decodePercentInSteps(encoded)
  if (decoded === null || !isUtf8(decoded)) throw malformed("A field's value is malformed.")
  return decoded
}

function malformed(detail: string): UnreadableBodyError {
  return new UnreadableBodyError("malformed", detail)
}
