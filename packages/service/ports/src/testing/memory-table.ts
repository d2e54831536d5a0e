import {
  ATTEMPT,
  type Item,
  isUnexpired,
  type RecordKey,
  type StandingRecord,
  standingOf,
  type Table,
  type WriteStamp,
} from "../tables/table.ts"

/** A call of a table: what it is, and which records it reads or changes. */
export interface TableCall {
  readonly name: keyof Table
  readonly pk: string
  /** The sort key, or the start of the sort keys. */
  readonly sk: string
  readonly isPrefix: boolean
}

export interface MemoryTableOptions {
  /** The items at the beginning, by partition and sort key with a line break between. Changed by the table. Default: none. */
  readonly items?: Map<string, Item>
  /** Epoch milliseconds. Default: nothing expires. */
  readonly wallClock?: () => number
  /** May throw, like a table that cannot be reached. */
  readonly beforeCall?: () => void
  /** Makes a call. Default: after a turn of the event loop, so that others' calls can come in between. */
  readonly reach?: <Result>(call: TableCall, act: () => Result) => Promise<Result>
}

export interface MemoryTable extends Table {
  /** The names of the methods called so far. */
  readonly calls: string[]
  readonly items: ReadonlyMap<string, Item>
}

/** Creates a table in memory, for tests: it behaves like those of hosts. */
export function createMemoryTable(options: MemoryTableOptions = {}): MemoryTable {
  const { wallClock = () => 0, items = new Map<string, Item>(), beforeCall } = options
  const calls: string[] = []
  const nameOf = ({ pk, sk }: RecordKey) => `${pk}\n${sk}`
  const isThere = (item: Item) => isUnexpired(item, wallClock())
  const find = (key: RecordKey) => {
    const item = items.get(nameOf(key))
    return item !== undefined && isThere(item) ? item : null
  }
  const under = (pk: string, prefix: string) =>
    [...items.values()]
      .filter((item) => item.pk === pk && String(item.sk).startsWith(prefix) && isThere(item))
      .sort((left, right) => (String(left.sk) < String(right.sk) ? 1 : -1))
  const write = (key: RecordKey, item: Item) => {
    items.set(nameOf(key), { ...structuredClone(item), ...key })
    return true
  }
  const stamped = (item: Item, stamp: WriteStamp | undefined) =>
    stamp === undefined ? item : { ...item, [ATTEMPT]: stamp.attempt }
  const standingAt = (key: RecordKey): StandingRecord | null => {
    const item = items.get(nameOf(key))
    return item === undefined ? null : standingOf(item)
  }
  const isMade = (key: RecordKey, stamp: WriteStamp | undefined) => {
    const standing = standingAt(key)
    return (stamp !== undefined && standing?.attempt === stamp.attempt) || stamp?.isMade?.(standing) === true
  }
  const isAt = (key: RecordKey, revision: number) => items.get(nameOf(key))?.revision === revision

  const reach =
    options.reach ??
    (async <Result>(_: TableCall, act: () => Result): Promise<Result> => {
      beforeCall?.()
      await new Promise((resolve) => setImmediate(resolve))
      return act()
    })
  const reachUnder = <Result>(name: keyof Table, pk: string, sk: string, act: () => Result) => {
    calls.push(name)
    return reach({ name, pk, sk, isPrefix: true }, act)
  }
  const reachOne = <Result>(name: keyof Table, { pk, sk }: RecordKey, act: () => Result) => {
    calls.push(name)
    return reach({ name, pk, sk, isPrefix: false }, act)
  }

  return {
    calls,
    items,
    get: (key) => reachOne("get", key, () => find(key)),
    list: (pk, prefix) => reachUnder("list", pk, prefix, () => under(pk, prefix)),
    page: (pk, prefix, { limit, after }) =>
      reachUnder("page", pk, prefix, () => {
        const found = under(pk, prefix).filter(({ sk }) => after === undefined || String(sk) < after)
        return { items: found.slice(0, limit), hasMore: found.length > limit }
      }),
    create: (key, item, stamp) =>
      reachOne("create", key, () =>
        find(key) === null ? write(key, stamped(item, stamp)) : isMade(key, stamp),
      ),
    put: (key, item) => reachOne("put", key, () => void write(key, item)),
    replace: (key, item, revision, stamp) =>
      reachOne("replace", key, () =>
        isAt(key, revision)
          ? write(key, stamped({ ...item, revision: revision + 1 }, stamp))
          : isMade(key, stamp),
      ),
    remove: (key, revision, isGone) =>
      reachOne("remove", key, () => {
        const standing = standingAt(key)
        if (standing === null) return true
        return isAt(key, revision) ? items.delete(nameOf(key)) : isGone?.(standing) === true
      }),
    add: (key, { attribute, amount, limit, expiresAt }) =>
      reachOne("add", key, () => {
        const item = items.get(nameOf(key))
        const total = Number(item?.[attribute] ?? 0) + amount
        if (amount > limit || total > limit) return null
        write(key, { ...item, [attribute]: total, expiresAt })
        return total
      }),
    tally: (key, { add, remove = [], when, expiresAt }) =>
      reachOne("tally", key, () => {
        const item = items.get(nameOf(key)) ?? {}
        const at = (counter: string) => Number(item[counter] ?? 0)
        const holds = Object.entries(when).every(
          ([counter, { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }]) =>
            at(counter) >= min && at(counter) <= max,
        )
        if (!holds) return null
        const counters = Object.entries(add).map(([counter, by]) => [counter, at(counter) + by])
        const changed = {
          ...item,
          ...Object.fromEntries(counters),
          ...(expiresAt !== undefined && { expiresAt }),
        }
        for (const counter of remove) delete changed[counter]
        write(key, changed)
        return { ...changed, ...key }
      }),
  }
}
