import { median } from "./median.ts"

/** One of several ways to do the same work. */
export interface Contender {
  readonly name: string
  /** How many items one call of `run` processes. */
  readonly items: number
  run(): unknown
}

export interface Comparison {
  readonly name: string
  /** Median over the rounds, microseconds per item. */
  readonly microseconds: number
  /** Its time divided by the first contender's of the same round; the median of all rounds. */
  readonly ratio: number
}

export interface CompareOptions {
  /** Default: 25. One more round comes first, unmeasured. */
  readonly rounds?: number
  /** How long each contender works in each round, about. Default: 20. */
  readonly sliceMs?: number
}

/**
 * Measures contenders against the first of them. They take turns, each round starting with another one, so that a
 * machine that is slower for a while is slower for all; ratios are computed within a round before their median.
 */
export async function compare(
  contenders: readonly [Contender, ...Contender[]],
  { rounds = 25, sliceMs = 20 }: CompareOptions = {},
): Promise<readonly Comparison[]> {
  const times = contenders.map(() => [] as number[])
  for (let round = -1; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (Math.max(round, 0) + turn) % contenders.length
      const contender = contenders[index]
      if (contender === undefined) continue
      const microseconds = await microsecondsPerItem(contender, sliceMs)
      if (round >= 0) times[index]?.push(microseconds)
    }
  }
  const [first = []] = times
  return contenders.map(({ name }, index) => {
    const own = times[index] ?? []
    return {
      name,
      microseconds: median(own),
      ratio: median(own.map((time, round) => time / (first[round] ?? Number.NaN))),
    }
  })
}

/** Returns how many microseconds an item takes. @param now what is measured, in milliseconds. Default: the time that passes */
export async function microsecondsPerItem(
  { items, run }: Contender,
  sliceMs: number,
  now: () => number = () => performance.now(),
): Promise<number> {
  const start = now()
  let runs = 0
  let elapsedMs = 0
  while (elapsedMs < sliceMs) {
    const result = run()
    // Awaiting costs a turn of the event loop, which contenders without promises must not pay for.
    if (result instanceof Promise) await result
    runs++
    elapsedMs = now() - start
  }
  return (elapsedMs * 1000) / (runs * items)
}
