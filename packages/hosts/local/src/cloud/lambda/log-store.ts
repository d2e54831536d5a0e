/** One line that a function printed, or that Lambda added. */
export interface LogEvent {
  /** Increases from event to event within a group. */
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
  /** Null: lines do not expire. */
  retentionDays: number | null
}

const MAX_GROUP_CHARACTERS = 1_000_000
const MAX_GROUP_EVENTS = 10_000
const MAX_GROUPS = 200
const DAY_MS = 24 * 60 * 60_000

/**
 * The newest lines of each log group, in memory: one million characters and 10,000 lines for each of the 200 most
 * recently created or written groups. As on AWS, if a function's role allows it, a missing group is created with its
 * first line.
 */
export class LogStore {
  readonly #groups = new Map<string, LogGroup>()

  /** Returns false when a group with this name exists. */
  create(group: string): boolean {
    if (this.#groups.has(group)) return false
    this.#keep(group, { events: [], characters: 0, nextId: 0, retentionDays: null })
    return true
  }

  /** Returns false when there is no group with this name. */
  remove(group: string): boolean {
    return this.#groups.delete(group)
  }

  /** Returns false when there is no group with this name. */
  setRetention(group: string, days: number): boolean {
    const kept = this.#groups.get(group)
    if (kept !== undefined) kept.retentionDays = days
    return kept !== undefined
  }

  append(group: string, stream: string, timestamp: number, message: string): void {
    this.create(group)
    const kept = this.#groups.get(group)
    if (kept === undefined) return
    this.#keep(group, kept)
    kept.events.push({ id: kept.nextId, timestamp, stream, message })
    kept.nextId += 1
    kept.characters += message.length
    if (kept.characters > MAX_GROUP_CHARACTERS || kept.events.length > MAX_GROUP_EVENTS) shorten(kept)
  }

  /** Returns the events that have not expired; null when the group does not exist. @param now epoch milliseconds */
  events(group: string, now: number): readonly LogEvent[] | null {
    const kept = this.#groups.get(group)
    if (kept === undefined) return null
    if (kept.retentionDays === null) return kept.events
    const oldest = now - kept.retentionDays * DAY_MS
    return kept.events.filter(({ timestamp }) => timestamp > oldest)
  }

  /** Moves a group to the end of the insertion order, so that the first one is the one to drop. */
  #keep(group: string, kept: LogGroup): void {
    this.#groups.delete(group)
    this.#groups.set(group, kept)
    const [oldest] = this.#groups.keys()
    if (this.#groups.size > MAX_GROUPS && oldest !== undefined) this.#groups.delete(oldest)
  }
}

/** Drops a quarter at once, because removing one from the front of an array moves all others. */
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
