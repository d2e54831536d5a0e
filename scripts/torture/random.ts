/** Numbers that follow from a seed, so that a run can be repeated as far as timing allows. */
export interface Random {
  /** Returns a number from 0 to less than 1. */
  next(): number
  /** Returns a whole number from `from` to `to`, both included. */
  between(from: number, to: number): number
  pick<Each>(from: readonly [Each, ...Each[]]): Each
  /** Returns another sequence, which follows from this one's seed and a name. */
  fork(name: string): Random
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    between,
    pick: (from) => from[between(0, from.length - 1)] ?? from[0],
    fork: (name) =>
      createRandom([...name].reduce((hash, letter) => Math.imul(hash, 31) + letter.charCodeAt(0), seed)),
  }
}
