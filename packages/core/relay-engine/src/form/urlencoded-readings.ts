import { UnreadableBodyError } from "../body/located-body.ts"
import { decodePercentLoosely } from "./percent-encoding.ts"

/** Without modifiers, which some software writes as quotes. */
const LETTERS = "\\w\\p{Lu}\\p{Ll}\\p{Lt}\\p{Lo}"

/**
 * Letters, what serializers of forms leave unencoded (URL Standard, application/x-www-form-urlencoded percent-encode set),
 * and what people write unencoded into names (RFC 3986, section 2.2), except what a document or what its readers skip
 * before it begins with.
 */
const BEGINS_FORM = new RegExp(`^[${LETTERS}*\\-.~+%&=$@!,;:?]`, "u")
const MAX_CHARACTER_BYTES = 4

/** What a document with fields cannot do without. */
const OF_DOCUMENT = /[{["<]/
/** `expand[]`, `items[0][name]`: no reader takes a word for a list, and there are no names without `{` or `<`. */
const NAME_WITH_INDICES = new RegExp(`^[${LETTERS}][${LETTERS}.-]*(?:\\[[${LETTERS}.-]*\\])+$`, "u")

/**
 * Refuses a form that some reader takes for JSON or XML: Go (`json.NewDecoder`), PHP (`php://input`), Flask
 * (`force=True`) and any application that parses the body itself ignore its type, which `curl -d` sends with everything.
 * Ruby's JSON, Gson and fastjson skip `/*…*\/`, `#…`, `//…` and `)]}'` before the document.
 *
 * @throws UnreadableBodyError
 */
export function requireForm(bytes: Buffer): void {
  if (bytes.length > 0 && !BEGINS_FORM.test(bytes.toString("utf8", 0, MAX_CHARACTER_BYTES))) throw document()
}

/** Refuses a field that is a name without a value, and that some reader takes for a document. @throws UnreadableBodyError */
export function requireNoDocument(nameWithoutValue: string): void {
  if (OF_DOCUMENT.test(nameWithoutValue) && !NAME_WITH_INDICES.test(nameWithoutValue)) throw document()
}

function document(): UnreadableBodyError {
  return new UnreadableBodyError(
    "malformed",
    "The body is sent as a form, and could be read as JSON or XML: send it with its own Content-Type, or encode what is not a letter or digit.",
  )
}

const SEMICOLON = 0x3b
const EQUALS = 0x3d

/**
 * Parsers differ about where the fields of an urlencoded form are. All agree on a field between two `&`, with a name
 * before its first `=`. An encrypted field is one token, whatever pieces it had; in any other one, no piece may be read
 * as it:
 *
 * | parser | reads |
 * |---|---|
 * | Python before 3.10, Rack before 3, CGI.pm | a `;` as a `&`: `a=1;card=2` holds a field `card` |
 * | qs (Express) | `card[=x]=2` up to `]=` as the name. It starts with `card[`, as for all others |
 * | ASP, old Perl, PHP | `%u0063ard`, `%zz`, `card%C1%A1` in their own way: such names are already refused |
 *
 * `EncryptedNames` handles the readings of a name itself. A name alone counts, too: qs reads `card[4242` as an object
 * in `card` with the name 4242.
 *
 * @returns the names of the pieces after a `;`
 */
export function* namesWithin(field: Buffer): Generator<string, void, void> {
  for (let at = field.indexOf(SEMICOLON); at !== -1; ) {
    const next = field.indexOf(SEMICOLON, at + 1)
    const piece = field.subarray(at + 1, next === -1 ? field.length : next)
    const equals = piece.indexOf(EQUALS)
    yield decodePercentLoosely(equals === -1 ? piece : piece.subarray(0, equals)).toString("utf8")
    at = next
  }
}
