import type { Item, RecordKey, Table } from "@sealway/platform"

/** A table in memory. `beforeCall` and `afterCall` may throw, as a process does that dies there. */
export function createMemoryTable(
  hooks: { readonly beforeCall?: () => void; readonly afterCall?: () => void } = {},
): Table & { readonly items: ReadonlyMap<string, Item> } {
  const items = new Map<string, Item>()
  const nameOf = ({ pk, sk }: RecordKey) => `${pk}\n${sk}`
  const under = (pk: string, prefix: string) =>
    [...items.entries()]
      .filter(([name]) => name.startsWith(`${pk}\n${prefix}`))
      .sort(([left], [right]) => (left < right ? 1 : -1))
      .map(([, item]) => item)
  /** Each call takes a turn of the event loop, so that calls of others come in between. */
  async function call<Result>(act: () => Result): Promise<Result> {
    hooks.beforeCall?.()
    await new Promise((resolve) => setImmediate(resolve))
    const result = act()
    hooks.afterCall?.()
    return result
  }
  const write = (key: RecordKey, item: Item) => items.set(nameOf(key), structuredClone({ ...item, ...key }))

  return {
    items,
    get: (key) => call(() => items.get(nameOf(key)) ?? null),
    list: (pk, prefix) => call(() => under(pk, prefix)),
    page: (pk, prefix, { limit, after }) =>
      call(() => {
        const found = under(pk, prefix).filter(({ sk }) => after === undefined || String(sk) < after)
        return { items: found.slice(0, limit), hasMore: found.length > limit }
      }),
    create: (key, item) =>
      call(() => {
        if (items.has(nameOf(key))) return false
        write(key, item)
        return true
      }),
    put: (key, item) => call(() => void write(key, item)),
    replace: (key, item, revision) =>
      call(() => {
        if (items.get(nameOf(key))?.revision !== revision) return false
        write(key, { ...item, revision: revision + 1 })
        return true
      }),
    remove: (key, revision) =>
      call(() => items.get(nameOf(key))?.revision === revision && items.delete(nameOf(key))),
    add: () => Promise.reject(new Error("Nothing is counted here")),
  }
}
