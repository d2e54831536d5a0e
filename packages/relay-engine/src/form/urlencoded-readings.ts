import { decodePercentLoosely } from "./percent-encoding.ts"

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
