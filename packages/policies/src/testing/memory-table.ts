import type { Item, RecordKey, Table } from "@sealway/platform"

export interface MemoryTable extends Table {
  /** What has been asked of it: names of its methods. */
  readonly calls: string[]
  readonly items: ReadonlyMap<string, Item>
}

/** A table in memory, with the semantics that the product's table promises. */
export function createMemoryTable(): MemoryTable {
  const items = new Map<string, Item>()
  const calls: string[] = []
  const id = ({ pk, sk }: RecordKey) => `${pk}|${sk}`
  const under = (pk: string, prefix: string) =>
    [...items.values()]
      .filter((item) => item.pk === pk && String(item.sk).startsWith(prefix))
      .sort((left, right) => (String(left.sk) < String(right.sk) ? 1 : -1))
  const answer = <Value>(call: string, work: () => Value): Promise<Value> => {
    calls.push(call)
    return Promise.resolve().then(work)
  }
  const atRevision = (key: RecordKey, revision: number) => items.get(id(key))?.revision === revision
  const write = (key: RecordKey, item: Item) => {
    items.set(id(key), { ...structuredClone(item), ...key })
    return true
  }
  return {
    calls,
    items,
    get: (key) => answer("get", () => items.get(id(key)) ?? null),
    list: (pk, prefix) => answer("list", () => under(pk, prefix)),
    page: (pk, prefix, { limit, after }) =>
      answer("page", () => {
        const found = under(pk, prefix).filter(({ sk }) => after === undefined || String(sk) < after)
        return { items: found.slice(0, limit), hasMore: found.length > limit }
      }),
    create: (key, item) => answer("create", () => !items.has(id(key)) && write(key, item)),
    put: (key, item) =>
      answer("put", () => {
        write(key, item)
      }),
    replace: (key, item, revision) =>
      answer("replace", () => atRevision(key, revision) && write(key, { ...item, revision: revision + 1 })),
    remove: (key, revision) => answer("remove", () => atRevision(key, revision) && items.delete(id(key))),
    add: (key, { attribute, amount, limit, expiresAt }) =>
      answer("add", () => {
        const total = Number(items.get(id(key))?.[attribute] ?? 0) + amount
        if (total > limit) return null
        write(key, { [attribute]: total, expiresAt })
        return total
      }),
  }
}
