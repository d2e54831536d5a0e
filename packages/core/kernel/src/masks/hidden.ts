/** Replaces one hidden character. */
export const BULLET = "•"

/** Replaces what is hidden, however long it is. Also the mask of a value that does not fit its mask. */
export const HIDDEN = "•••"

/** Returns what replaces hidden characters. */
export type Hide = (characters: number) => string

export function hiding({ keepLength }: { readonly keepLength: boolean }): Hide {
  return keepLength ? (characters) => BULLET.repeat(characters) : () => HIDDEN
}
