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

export interface MemoryTableOptions {
  /** Epoch milliseconds. Default: nothing expires. */
  readonly wallClock?: () => number
  /** May throw, like a process that dies before or after a call takes effect. */
  readonly beforeCall?: () => void
  readonly afterCall?: () => void
}

export interface MemoryTable extends Table {
  /** The names of the methods called so far. */
  readonly calls: string[]
  readonly items: ReadonlyMap<string, Item>
}

/** Creates a table in memory, for tests: it behaves like those of hosts. */
export function createMemoryTable(options: MemoryTableOptions = {}): MemoryTable {
  const { wallClock = () => 0, beforeCall, afterCall } = options
  const items = new Map<string, Item>()
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

  /** Each call takes a turn of the event loop, so that others' calls can come in between. */
  async function call<Result>(name: string, act: () => Result): Promise<Result> {
    calls.push(name)
    beforeCall?.()
    await new Promise((resolve) => setImmediate(resolve))
    const result = act()
    afterCall?.()
    return result
  }

  return {
    calls,
    items,
    get: (key) => call("get", () => find(key)),
    list: (pk, prefix) => call("list", () => under(pk, prefix)),
    page: (pk, prefix, { limit, after }) =>
      call("page", () => {
        const found = under(pk, prefix).filter(({ sk }) => after === undefined || String(sk) < after)
        return { items: found.slice(0, limit), hasMore: found.length > limit }
      }),
    create: (key, item, stamp) =>
      call("create", () => (find(key) === null ? write(key, stamped(item, stamp)) : isMade(key, stamp))),
    put: (key, item) => call("put", () => void write(key, item)),
    replace: (key, item, revision, stamp) =>
      call("replace", () =>
        isAt(key, revision)
          ? write(key, stamped({ ...item, revision: revision + 1 }, stamp))
          : isMade(key, stamp),
      ),
    remove: (key, revision, isGone) =>
      call("remove", () =>
        isAt(key, revision) ? items.delete(nameOf(key)) : isGone?.(standingAt(key)) === true,
      ),
    add: (key, { attribute, amount, limit, expiresAt }) =>
      call("add", () => {
        const item = items.get(nameOf(key))
        const total = Number(item?.[attribute] ?? 0) + amount
        if (total > limit) return null
        write(key, { ...item, [attribute]: total, expiresAt })
        return total
      }),
    tally: (key, { add, remove = [], when, expiresAt }) =>
      call("tally", () => {
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
