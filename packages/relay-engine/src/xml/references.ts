const AMPERSAND = 0x26
const HASH = 0x23
const SEMICOLON = 0x3b
const LOWER_X = 0x78

/** The entities that need no declaration (XML 1.0, section 4.6). All others would need a DOCTYPE. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
])
const LONGEST_ENTITY = 4

/** The place behind a reference that begins with the `&` at a place; -1 when it is none, or one to nothing. */
export function endOfReference(bytes: Buffer, start: number): number {
  if (bytes[start] !== AMPERSAND) return -1
  if (bytes[start + 1] === HASH) return endOfCharacterReference(bytes, start + 2)
  for (let at = start + 1; at <= start + 1 + LONGEST_ENTITY; at++) {
    if (bytes[at] === SEMICOLON) {
      return ENTITIES.has(bytes.toString("latin1", start + 1, at)) ? at + 1 : -1
    }
  }
  return -1
}

function endOfCharacterReference(bytes: Buffer, start: number): number {
  const isHex = bytes[start] === LOWER_X
  const base = isHex ? 16 : 10
  let at = isHex ? start + 1 : start
  let code = 0
  const first = at
  for (; bytes[at] !== SEMICOLON; at++) {
    const digit = digitOf(bytes[at], base)
    if (digit === -1) return -1
    // Stays beyond all characters, however long it is.
    code = Math.min(code * base + digit, 0x110000)
  }
  return at > first && isCharacter(code) ? at + 1 : -1
}

function digitOf(byte: number | undefined, base: 10 | 16): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return base === 16 && lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** XML 1.0, production 2. */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff)
}

/** @param name what stands between `&` and `;`, where `endOfReference` found it well-formed */
function referent(name: string): string {
  const entity = ENTITIES.get(name)
  if (entity !== undefined) return entity
  const isHex = name[1] === "x"
  return String.fromCodePoint(Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10))
}

/** What text says, CDATA sections in it included; line ends are LF (XML 1.0, section 2.11). */
export function decodeText(raw: string): string {
  return raw.replace(
    /<!\[CDATA\[(.*?)\]\]>|&([^;]+);|\r\n?/gs,
    (_found, section: string | undefined, name: string | undefined) => {
      if (section !== undefined) return section.replace(/\r\n?/g, "\n")
      return name === undefined ? "\n" : referent(name)
    },
  )
}

/** What an attribute says: line ends and tabs are spaces (XML 1.0, section 3.3.3). */
export function decodeAttribute(raw: string): string {
  return raw.replace(/&([^;]+);|\r\n|[\t\n\r]/g, (_found, name: string | undefined) =>
    name === undefined ? " " : referent(name),
  )
}
