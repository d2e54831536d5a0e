export interface MapOptions {
  /** How many are processed concurrently. */
  readonly concurrency: number
  /** How many are taken from the source before the first one's result is yielded: finished ones wait for slow ones. */
  readonly window: number
}

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown }

/**
 * Processes several items concurrently and yields results in the order of the items. An error, of an item or of the
 * source, comes in its turn: all earlier results are yielded first. Nothing is started after it.
 */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item>,
  { concurrency, window }: MapOptions,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const begun: Promise<Outcome<Result>>[] = []
  const room = createSignal()
  const arrival = createSignal()
  let running = 0
  let hasEnded = false
  let isStopped = false

  const begin = async (item: Item): Promise<Outcome<Result>> => {
    running++
    try {
      return { result: await work(item) }
    } catch (error) {
      // Later results are useless, because they come after the error.
      isStopped = true
      return { error }
    } finally {
      running--
      room.raise()
    }
  }
  const feed = async () => {
    try {
      for await (const item of items) {
        while (!isStopped && (running >= concurrency || begun.length >= window)) await room.raised()
        if (isStopped) return
        begun.push(begin(item))
        arrival.raise()
      }
    } catch (error) {
      begun.push(Promise.resolve({ error }))
    } finally {
      hasEnded = true
      arrival.raise()
    }
  }

  void feed()
  try {
    for (;;) {
      while (begun.length === 0 && !hasEnded) await arrival.raised()
      const [first] = begun
      if (first === undefined) return
      const settled = await first
      if ("error" in settled) throw settled.error
      yield settled.result
      begun.shift()
      room.raise()
    }
  } finally {
    isStopped = true
    room.raise()
  }
}

/** Wakes the waiting side. If nobody waits, the next wait ends immediately. */
function createSignal(): { raise(): void; raised(): Promise<void> } {
  let isRaised = false
  let wake: (() => void) | null = null
  return {
    raise() {
      isRaised = true
      wake?.()
    },
    async raised() {
      if (!isRaised) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      wake = null
      isRaised = false
    },
  }
}
