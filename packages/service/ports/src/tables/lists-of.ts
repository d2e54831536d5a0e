import type { Item, PageRequest, Table } from "./table.ts"

/**
 * Yields the records of a partition whose sort key starts with a prefix, some at a time, in descending order of sort key.
 *
 * @param request `limit`: how many to read at a time. Expired ones among them are left out
 */
export type Query = (pk: string, prefix: string, request?: PageRequest) => AsyncIterable<readonly Item[]>

/** The lists of a table, over what it reads at a time. */
export function listsOf(query: Query): Pick<Table, "list" | "page"> {
  return {
    async list(pk, prefix) {
      const items: Item[] = []
      for await (const found of query(pk, prefix)) items.push(...found)
      return items
    },

    async page(pk, prefix, { limit, after }) {
      const items: Item[] = []
      for await (const found of query(pk, prefix, { limit: limit + 1, after })) {
        items.push(...found)
        if (items.length > limit) break
      }
      return { items: items.slice(0, limit), hasMore: items.length > limit }
    },
  }
}
