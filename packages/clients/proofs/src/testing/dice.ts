/** Reproducible choices. */
export interface Dice {
  /** A whole number from 0, below a bound. */
  below(bound: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  /** True once in so many times. */
  onceIn(times: number): boolean
  times<Item>(count: number, make: () => Item): Item[]
}

/** @param seed any number; equal seeds make equal choices (mulberry32) */
export function createDice(seed: number): Dice {
  let state = seed >>> 0
  const below = (bound: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
  }
  return {
    below,
    pick: (items) => items[below(items.length)] ?? items[0],
    onceIn: (times) => below(times) === 0,
    times: (count, make) => Array.from({ length: count }, make),
  }
}
