/** The key of a record: partition key and sort key. */
export interface RecordKey {
  readonly pk: string
  readonly sk: string
}

/**
 * A stored record. Three attributes have a meaning for the table: `revision`, a number that each change of the record
 * increases by one; `expiresAt`, epoch seconds after which the record counts as gone; and `writeAttempt`, which only
 * the table uses.
 */
export type Item = Readonly<Record<string, unknown>>

export interface PageRequest {
  readonly limit: number
  /** The sort key after which the page starts; absent for the first page. */
  readonly after?: string | undefined
}

export interface Page {
  readonly items: readonly Item[]
  readonly hasMore: boolean
}

export interface Increment {
  /** The attribute that holds the total. */
  readonly attribute: string
  /** Refused when it alone is above the limit, whatever the total. */
  readonly amount: number
  /** The highest total allowed. */
  readonly limit: number
  /** Epoch seconds. */
  readonly expiresAt: number
}

/** A change to several counters of one record. An absent counter counts as 0. */
export interface Tally {
  /** How much each counter grows; negative to count down. */
  readonly add: Readonly<Record<string, number>>
  /** Counters to remove. */
  readonly remove?: readonly string[]
  /** The required values before the change, both bounds included. Default: any. */
  readonly when: Readonly<Record<string, { readonly min?: number; readonly max?: number }>>
  /** Epoch seconds; only for counters of which old ones count for nothing. Default: the record does not expire. */
  readonly expiresAt?: number
}

/** The existing record that prevents a conditional write. */
export interface StandingRecord {
  /** The `WriteStamp.attempt` that it was written with, or another text; null when it has none. */
  readonly attempt: string | null
  readonly id: string | null
  readonly revision: number | null
}

/** Distinguishes the writes of a repeated request from those of others. */
export interface WriteStamp {
  /** Written with the record, to recognise whose write it was. */
  readonly attempt: string
  /**
   * Whether the write counts as made although its condition fails, because an earlier attempt of the same request made
   * it. Default: only when the record has exactly this `attempt`.
   *
   * @param standing null when there is no record
   */
  readonly isMade?: (standing: StandingRecord | null) => boolean
}

/**
 * Reads and single-item conditional writes on one table. Every read is strongly consistent, and what is written is
 * durable when the call resolves. Expired records are not returned. All methods throw
 * TableUnavailableError, or another error that `isUnavailability` recognises, when the table cannot be reached.
 */
export interface Table {
  get(key: RecordKey): Promise<Item | null>
  /** Returns all records of a partition whose sort key starts with a prefix, in descending order of sort key. */
  list(pk: string, prefix: string): Promise<readonly Item[]>
  /** Returns a page of what `list` finds. */
  page(pk: string, prefix: string, request: PageRequest): Promise<Page>
  /** Writes a record unless it exists. Returns false, and changes nothing, when it does. */
  create(key: RecordKey, item: Item, stamp?: WriteStamp): Promise<boolean>
  /** Writes a record, overwriting any existing one. */
  put(key: RecordKey, item: Item): Promise<void>
  /** Writes a record over this revision, as the next one. Returns false when this revision no longer exists. */
  replace(key: RecordKey, item: Item, revision: number, stamp?: WriteStamp): Promise<boolean>
  /**
   * Removes the record at this revision. Returns false when it is there at another revision. Where there is none, it counts
   * as removed: the client of AWS repeats a call whose answer was lost, and the second time there is nothing to remove.
   *
   * @param isMade see `WriteStamp`. Default: never, when there is a record
   */
  remove(key: RecordKey, revision: number, isMade?: WriteStamp["isMade"]): Promise<boolean>
  /**
   * Adds to a counter atomically. A call whose answer was lost is repeated, and may count twice.
   *
   * @returns the total, or null when it would exceed the limit; nothing is added then
   */
  add(key: RecordKey, increment: Increment): Promise<number | null>
  /**
   * Changes counters atomically. Creates the record if there is none. A call whose answer was lost is repeated, as in `add`.
   *
   * @returns the record afterwards, or null when a counter is not within its required values; nothing is changed then
   */
  tally(key: RecordKey, change: Tally): Promise<Item | null>
}

/** The attribute that identifies the call that wrote an item, so that its repetition recognises it. */
export const ATTEMPT = "writeAttempt"

/** A table that cannot be read or written now. A retry may help. */
export class TableUnavailableError extends Error {
  override readonly name = "TableUnavailableError"
}

/** Opens a table by its name. @param wallClock epoch milliseconds */
export type OpenTable = (name: string, wallClock: () => number) => Table

/** What `WriteStamp` has to know about an item that prevents a write. */
export function standingOf({ [ATTEMPT]: attempt, id, revision }: Item): StandingRecord {
  return {
    attempt: typeof attempt === "string" ? attempt : null,
    id: typeof id === "string" ? id : null,
    revision: typeof revision === "number" ? revision : null,
  }
}

/** Whether a record is still there, at a time in epoch milliseconds. */
export function isUnexpired({ expiresAt }: Item, nowMs: number): boolean {
  return typeof expiresAt !== "number" || expiresAt > Math.floor(nowMs / 1000)
}
