import { CONFIGURATION_TTL_MS } from "@sealway/accounts"
import { type Clocks, createCache, type MaybePromise, MB, processTurns } from "@sealway/kernel"
import type { Grant, Table } from "@sealway/ports"
import { type BinRow, MAX_BIN_DIGITS } from "./bin-row.ts"
import { findActive, readRows } from "./bin-table-table.ts"
import { type BinMatch, matchRows, matchRowsInSteps, windowOf } from "./match-rows.ts"

/** The AWS permissions that looking up numbers needs. */
export const BIN_GRANTS = [
  "dynamodb:GetItem/payments",
  "dynamodb:Query/payments",
] as const satisfies readonly Grant[]

/** Looks up data about ranges of card numbers. */
export interface BinData {
  /**
   * Looks up the numbers that start with some digits, in the team's active table. The result may be a few minutes old.
   *
   * @param digits 6 or more
   * @param withoutTable answers when the team has no table
   * @returns null when no range is known
   */
  lookUp(
    teamId: string,
    digits: string,
    withoutTable: (digits: string) => MaybePromise<BinMatch | null>,
  ): MaybePromise<BinMatch | null>
}

/** An active table never changes. */
const ROWS_TTL_MS = 5 * 60_000
const MAX_TEAMS = 1_000
const MAX_ENTRIES = 20_000
/** The maximum size of the cache, in characters of JSON. */
const MAX_KEPT_CHARACTERS = 16 * MB

/** Numbers that share this many digits are looked up in the same rows. */
const WINDOW_DIGITS = 8

/** All rows of a short prefix may take so much, see `inLane`. */
const SHORT_PREFIX_BYTES = 100 * MB

/** Returns how much memory looking up some digits may take. */
export function bytesToLookUp(digits: string): number {
  return digits.length < WINDOW_DIGITS ? SHORT_PREFIX_BYTES : 0
}

export interface BinDataDependencies extends Pick<Clocks, "now"> {
  readonly table: Table
}

/** @param dependencies `table` is the payments table */
export function createBinData({ table, now }: BinDataDependencies): BinData {
  const serving = createCache<{ readonly tableId: string }>({
    maxEntries: MAX_TEAMS,
    ttlMs: CONFIGURATION_TTL_MS,
    now,
  })
  const windows = createCache<{ readonly rows: readonly BinRow[] }>({
    maxEntries: MAX_ENTRIES,
    ttlMs: ROWS_TTL_MS,
    now,
    weight: { max: MAX_KEPT_CHARACTERS / 2, weigh: ({ rows }) => JSON.stringify(rows).length },
  })
  /** For prefixes shorter than a window, which may have thousands of rows. */
  const matches = createCache<BinMatch>({
    maxEntries: MAX_ENTRIES,
    ttlMs: ROWS_TTL_MS,
    now,
    weight: { max: MAX_KEPT_CHARACTERS / 2, weigh: (match) => JSON.stringify(match).length },
  })

  async function findServing(teamId: string) {
    const found = await findActive(table, teamId)
    return found === null || found.active === null ? null : { tableId: found.active }
  }

  const read = (tableId: string, prefix: string) => readRows(table, tableId, windowOf(prefix))

  /** All rows of a short prefix may take a hundred megabytes, so a team has those of only one in memory at a time. */
  const inLane = createLanes()
  const matchShort = (teamId: string, tableId: string, prefix: string) =>
    inLane(teamId, async () => processTurns.run(matchRowsInSteps(await read(tableId, prefix), prefix)))

  async function find(
    teamId: string,
    digits: string,
    withoutTable: (digits: string) => MaybePromise<BinMatch | null>,
  ): Promise<BinMatch | null> {
    const found = await serving.get(teamId, () => findServing(teamId))
    if (found === null) return withoutTable(digits)
    const { tableId } = found
    const window = digits.slice(0, WINDOW_DIGITS)
    const key = `${tableId}/${window}`
    if (window.length < WINDOW_DIGITS) {
      return matches.get(key, () => matchShort(teamId, tableId, window))
    }
    const rows = await windows.get(key, async () => ({ rows: await read(tableId, window) }))
    return rows && matchRows(rows.rows, digits.slice(0, MAX_BIN_DIGITS))
  }

  return { lookUp: find }
}

/**
 * Creates named lanes. Tasks in one lane run one after another, in order, regardless of errors in earlier ones. Lanes
 * do not wait for each other.
 */
function createLanes() {
  /** The last task of each lane. */
  const lanes = new Map<string, Promise<unknown>>()
  return async <Result>(name: string, act: () => Promise<Result>): Promise<Result> => {
    const before = lanes.get(name)
    const own = before === undefined ? act() : before.then(act, act)
    lanes.set(name, own)
    try {
      return await own
    } finally {
      if (lanes.get(name) === own) lanes.delete(name)
    }
  }
}
