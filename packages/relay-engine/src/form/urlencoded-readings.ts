import { decodePercentLoosely } from "./percent-encoding.ts"

const SEMICOLON = 0x3b
const EQUALS = 0x3d

/**
 * How readers differ about where the fields of an urlencoded form are. What all of them agree on is a field between
 * two `&`, with a name before its first `=`. A field that is encrypted is a token as a whole, whatever pieces it had;
 * in any other one, no piece may be taken for it:
 *
 * | reader | reads |
 * |---|---|
 * | Python before 3.10, Rack before 3, CGI.pm | a `;` as a `&`: `a=1;card=2` holds a field `card` |
 * | qs (Express) | `card[=x]=2` up to `]=` as the name. It begins with `card[`, as it does for all others |
 * | ASP, old Perl, PHP | `%u0063ard`, `%zz`, `card%C1%A1` as something of their own: such names are refused before |
 *
 * What a name itself is taken for, `EncryptedNames` tells. A name alone counts, too: for qs, `card[4242` is an object
 * in `card` that has 4242 for a name.
 *
 * @returns the names of the pieces behind a `;`
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
