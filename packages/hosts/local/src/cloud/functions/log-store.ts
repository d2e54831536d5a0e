/** One line that a function printed, or that was added to its output. */
export interface StoredLine {
  /** Increases from line to line of a function. */
  readonly id: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly message: string
}

interface FunctionLog {
  readonly lines: StoredLine[]
  characters: number
  nextId: number
}

const MAX_CHARACTERS = 1_000_000
const MAX_LINES = 10_000
const MAX_FUNCTIONS = 200
const RETENTION_MS = 14 * 24 * 60 * 60_000

/**
 * The newest lines of each function, in memory, for 14 days: one million characters and 10,000 lines for each of the 200
 * functions that printed last.
 */
export class LogStore {
  /** The function that printed last comes last. */
  readonly #logs = new Map<string, FunctionLog>()
  readonly #wallClock: () => number

  /** @param wallClock epoch milliseconds */
  constructor(wallClock: () => number) {
    this.#wallClock = wallClock
  }

  append(name: string, message: string): void {
    const log = this.#logs.get(name) ?? { lines: [], characters: 0, nextId: 0 }
    this.#logs.delete(name)
    this.#logs.set(name, log)
    const [oldest] = this.#logs.keys()
    if (this.#logs.size > MAX_FUNCTIONS && oldest !== undefined) this.#logs.delete(oldest)
    log.lines.push({ id: log.nextId, at: this.#wallClock(), message })
    log.nextId += 1
    log.characters += message.length
    if (log.characters > MAX_CHARACTERS || log.lines.length > MAX_LINES) shorten(log)
  }

  /** Returns the lines that are kept, oldest first. */
  lines(name: string): readonly StoredLine[] {
    const oldest = this.#wallClock() - RETENTION_MS
    return this.#logs.get(name)?.lines.filter(({ at }) => at > oldest) ?? []
  }

  remove(name: string): void {
    this.#logs.delete(name)
  }
}

/** Drops a quarter at once, because removing one from the front of an array moves all others. */
function shorten(log: FunctionLog): void {
  let count = 0
  const { lines } = log
  while (
    lines.length - count > 1 &&
    (log.characters > MAX_CHARACTERS * 0.75 || lines.length - count > MAX_LINES * 0.75)
  ) {
    log.characters -= lines[count]?.message.length ?? 0
    count += 1
  }
  lines.splice(0, count)
}
