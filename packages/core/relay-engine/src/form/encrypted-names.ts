/** More than a selector may have, even in upper case. */
const MAX_CHARACTERS = 2_048
const MAX_PARTS = 32

/** Says why a body is refused, to its sender. @param name the encrypted field that another one could be read as */
export function takenForEncrypted(name: string): string {
  return `A field could be read as \`${name}\` by readers that treat brackets, dots, blanks, letter case or prefixes of names in their own way: rename it, or select it too.`
}

/** A node of the tree of encrypted names. */
interface Step {
  /** The encrypted name at which a path ends; null for none. */
  name: string | null
  readonly next: Map<string, Step>
}

export interface NameOptions {
  /** Whether the destination distinguishes `Card` from `card`. Default: false. */
  readonly isCaseSensitive?: boolean
  /** Names that are encrypted elsewhere, where frameworks find the field too: none of them is encrypted here. Default: none. */
  readonly merged?: readonly string[]
}

/**
 * Encrypted field names, and the different names that some parser reads as one of them. The value of such a field would
 * reach the application as the encrypted one's, in plaintext.
 *
 * | parser | reads as `card` |
 * |---|---|
 * | qs (Express) | `[card]`, `card[]`, `card[0]`, `card[x]`; with `allowDots` `card.x` |
 * | body-parser, TextDecoder | a byte order mark before the first name |
 * | URLSearchParams | `?card` at the start |
 * | PHP | blanks before the name; NUL and everything after it; for `card_x`: `card.x`, `card x`, `card[x` |
 * | Rack (Rails) | `[card`, `card]`, `]card` |
 * | Spring | `!card`, `Card`, `card[]`; for `card.x`: `card[x]`, `card['x']` |
 * | ASP.NET | any letter case; for `card[x]`: `card.x`; the name of what it is bound to in front, `order.card`, `order[card]` |
 * | Tomcat (Spring) | in multipart, control characters and blanks around the name |
 *
 * A list index is not part of a name: qs reads `card[7]` as the first item when there is no other.
 */
export class EncryptedNames {
  readonly #names: ReadonlySet<string>
  readonly #isCaseSensitive: boolean
  readonly #root: Step = { name: null, next: new Map() }

  constructor(names: readonly string[], { isCaseSensitive = false, merged = [] }: NameOptions = {}) {
    this.#names = new Set(names)
    this.#isCaseSensitive = isCaseSensitive
    for (const name of [...merged, ...names]) {
      for (const path of this.#pathsOf(name)) this.#add(path, name)
    }
  }

  get isEmpty(): boolean {
    return this.#root.next.size === 0
  }

  /** Whether a name is one of those, exactly. */
  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** Returns the one that some parser reads a name as, or as something inside it; null for none. Linear in the name's length. */
  takenFor(name: string): string | null {
    if (this.isEmpty) return null
    if (this.has(name)) return name
    for (const path of this.#pathsOf(name)) {
      for (const start of path.keys()) {
        const found = this.#nameAlong(path.slice(start))
        if (found !== null) return found
      }
    }
    return null
  }

  #pathsOf(name: string): readonly (readonly string[])[] {
    const trimmed = trimName(name)
    const folded = this.#isCaseSensitive ? trimmed : trimmed.toUpperCase().toLowerCase()
    const mangled = mangleLikePhp(folded)
    const nested = pathOf(folded, /[^[\].]+/g)
    return mangled === null ? [nested] : [nested, pathOf(mangled, /[^[\]]+/g)]
  }

  #add(path: readonly string[], name: string): void {
    let step = this.#root
    for (const part of path) {
      const next = step.next.get(part) ?? { name: null, next: new Map() }
      step.next.set(part, next)
      step = next
    }
    if (step !== this.#root) step.name = name
  }

  #nameAlong(path: readonly string[]): string | null {
    let step: Step | undefined = this.#root
    for (const part of path) {
      step = step.next.get(part)
      if (step === undefined) return null
      if (step.name !== null) return step.name
    }
    return null
  }
}

/** Removes what some parser drops around a name, and everything after a NUL. */
function trimName(name: string): string {
  let start = 0
  while (start < name.length && (name[start] === "!" || name[start] === "?" || isBlank(name, start))) start++
  const nul = name.indexOf("\0", start)
  let end = nul === -1 ? name.length : nul
  while (end > start && isBlank(name, end - 1)) end--
  return name.slice(start, end)
}

/** White space, control characters and the byte order mark. */
function isBlank(name: string, at: number): boolean {
  return name.charCodeAt(at) <= 0x20 || name[at] === "\x7f" || /\s/.test(name.charAt(at))
}

/**
 * PHP replaces a blank or a dot before the first index, and an unclosed bracket, by an underscore. Returns null when
 * that changes nothing, or the name is longer than any selector, and so is PHP's version.
 */
function mangleLikePhp(name: string): string | null {
  const open = name.indexOf("[")
  const isIndexed = open !== -1 && name.indexOf("]", open) !== -1
  const end = isIndexed ? open : name.length
  if (end > MAX_CHARACTERS) return null
  const first = name.slice(0, end)
  const mangled = first.replace(/[ .[]/g, "_")
  return mangled === first ? null : mangled + name.slice(end)
}

/** Returns the parts of a nested name, without list indices; no parser goes deeper than the first `MAX_PARTS`. */
function pathOf(name: string, parts: RegExp): readonly string[] {
  const path: string[] = []
  let seen = 0
  for (const [part] of name.matchAll(parts)) {
    if (++seen > MAX_PARTS) break
    const step = part.trim().replace(/^['"]/, "").replace(/['"]$/, "")
    if (step !== "" && (path.length === 0 || !/^\d+$/.test(step))) path.push(step)
  }
  return path
}
