/** What a call reads or changes. */
export interface Access {
  /** The table or another place of things. */
  readonly space: string
  /** The thing; the start of the things' names if `isPrefix`. */
  readonly name: string
  readonly isPrefix: boolean
  readonly isWrite: boolean
}

/**
 * Learns who reads and changes what. Two calls of different actors that touch the same thing, and of which one changes it,
 * do not commute: only before these is it worth going on with someone else.
 */
export class Accesses {
  readonly #bySpace = new Map<string, Map<string, { readonly actor: string; readonly access: Access }>>()
  readonly #known = new Map<string, boolean>()
  #count = 0

  /** How many are known. */
  get count(): number {
    return this.#count
  }

  note(actor: string, access: Access): void {
    const { space, name, isPrefix, isWrite } = access
    const found = this.#bySpace.get(space) ?? new Map<string, { actor: string; access: Access }>()
    this.#bySpace.set(space, found)
    const key = `${actor}\n${name}\n${isPrefix}\n${isWrite}`
    if (found.has(key)) return
    found.set(key, { actor, access })
    this.#count++
    this.#known.clear()
  }

  /** Whether another actor is known to make a call that does not commute with this one. */
  hasConflict(actor: string, access: Access): boolean {
    const key = `${actor}\n${access.space}\n${access.name}\n${access.isPrefix}\n${access.isWrite}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const others = [...(this.#bySpace.get(access.space)?.values() ?? [])]
    const conflicts = others.some(
      (other) =>
        other.actor !== actor && (other.access.isWrite || access.isWrite) && isCommon(other.access, access),
    )
    this.#known.set(key, conflicts)
    return conflicts
  }
}

function isCommon(left: Access, right: Access): boolean {
  if (left.isPrefix && right.name.startsWith(left.name)) return true
  if (right.isPrefix && left.name.startsWith(right.name)) return true
  return left.name === right.name
}
