import { type Charset, charsetNamed } from "../encodings/charset.ts"

const S = String.raw`[\t\n\r ]`
const quoted = (pattern: string) => `(?:"${pattern}"|'${pattern}')`
const DECLARATION = new RegExp(
  `^<\\?xml${S}+version${S}*=${S}*${quoted("1\\.[0-9]{1,9}")}` +
    `(?:${S}+encoding${S}*=${S}*(?<encoding>${quoted("[A-Za-z][A-Za-z0-9._\\-]*")}))?` +
    `(?:${S}+standalone${S}*=${S}*${quoted("(?:yes|no)")})?${S}*$`,
)

/** Nobody writes longer declarations. */
export const MAX_DECLARATION_BYTES = 1_024

/**
 * Whether an XML declaration (XML 1.0, production 23) is well-formed, and declares no encoding but the one that the
 * document was sent in.
 *
 * @param declaration from `<?xml` up to `?>`, without that
 */
export function isDeclarationOf(declaration: string, charset: Charset): boolean {
  const match = DECLARATION.exec(declaration)
  if (match === null) return false
  const encoding = match.groups?.encoding?.slice(1, -1)
  if (encoding === undefined) return true
  if (encoding.toLowerCase() === "utf-16") return charset === "utf-16le" || charset === "utf-16be"
  const declared = charsetNamed(encoding)
  return declared === charset || (declared === "us-ascii" && charset === "utf-8")
}
