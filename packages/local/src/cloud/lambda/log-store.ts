/** One line that a function printed, or that Lambda added. */
export interface LogEvent {
  /** Grows from event to event within a group. */
  readonly id: number
  /** Epoch milliseconds. */
  readonly timestamp: number
  readonly stream: string
  readonly message: string
}

interface LogGroup {
  readonly events: LogEvent[]
  characters: number
  nextId: number
}

const MAX_GROUP_CHARACTERS = 1_000_000
const MAX_GROUP_EVENTS = 10_000
const MAX_GROUPS = 200

/**
 * The newest lines of each log group, in memory: one million characters and 10,000 lines of each of the 200 groups written to
 * last. As on AWS, a group begins with its first line and outlives its function.
 */
export class LogStore {
  readonly #groups = new Map<string, LogGroup>()

  append(group: string, stream: string, timestamp: number, message: string): void {
    const kept = this.#groups.get(group) ?? { events: [], characters: 0, nextId: 0 }
    // Last in the order of insertion, so that the first is the one to give up.
    this.#groups.delete(group)
    this.#groups.set(group, kept)
    kept.events.push({ id: kept.nextId, timestamp, stream, message })
    kept.nextId += 1
    kept.characters += message.length
    if (kept.characters > MAX_GROUP_CHARACTERS || kept.events.length > MAX_GROUP_EVENTS) shorten(kept)
    const [oldest] = this.#groups.keys()
    if (this.#groups.size > MAX_GROUPS && oldest !== undefined) this.#groups.delete(oldest)
  }

  /** Null when the group does not exist. */
  events(group: string): readonly LogEvent[] | null {
    return this.#groups.get(group)?.events ?? null
  }
}

/** By a quarter, because taking one from the front of an array moves all others. */
function shorten(group: LogGroup): void {
  let count = 0
  const { events } = group
  while (
    events.length - count > 1 &&
    (group.characters > MAX_GROUP_CHARACTERS * 0.75 || events.length - count > MAX_GROUP_EVENTS * 0.75)
  ) {
    group.characters -= events[count]?.message.length ?? 0
    count += 1
  }
  events.splice(0, count)
}
