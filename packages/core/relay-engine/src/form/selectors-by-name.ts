/** Maps names to their ascending indices in a list. */
export function selectorsByName(names: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const selectors = new Map<string, number[]>()
  for (const [index, name] of names.entries()) {
    const known = selectors.get(name)
    if (known === undefined) selectors.set(name, [index])
    else known.push(index)
  }
  return selectors
}

/** For an unselected value. */
export const NO_SELECTORS: readonly number[] = []
