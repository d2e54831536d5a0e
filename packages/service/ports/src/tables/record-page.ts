import type { Item, PageRequest, Table } from "./table.ts"

export interface RecordPageRequest {
  readonly limit: number
  /** The id after which the page starts; absent for the first page. */
  readonly startingAfter?: string | undefined
}

export interface RecordPage<Value> {
  readonly data: readonly Value[]
  readonly hasMore: boolean
}

/**
 * Returns a page of the records that a partition lists under `<prefix><id>`, newest first.
 *
 * @param open returns the record of a listed item; null for one that was listed and never created
 */
export async function pageRecords<Value>(
  table: Table,
  pk: string,
  prefix: string,
  { limit, startingAfter }: RecordPageRequest,
  open: (item: Item) => Promise<Value | null>,
): Promise<RecordPage<Value>> {
  const after = startingAfter && prefix + startingAfter
  const { items, hasMore } = await table.page(pk, prefix, { limit, after })
  const records = await Promise.all(items.map(open))
  return { data: records.filter((record) => record !== null), hasMore }
}

/**
 * Merges lists that are each in descending order of their values' keys, reading no further in any than it yields, but for
 * one value.
 */
export async function* mergeDescending<Value>(
  lists: readonly AsyncIterator<Value>[],
  keyOf: (value: Value) => string,
): AsyncGenerator<Value> {
  const heads = await Promise.all(lists.map(async (list) => ({ list, next: await list.next() })))
  for (;;) {
    let first: { readonly head: (typeof heads)[number]; readonly value: Value; readonly key: string } | null =
      null
    for (const head of heads) {
      if (head.next.done) continue
      const key = keyOf(head.next.value)
      if (first === null || key > first.key) first = { head, value: head.next.value, key }
    }
    if (first === null) return
    yield first.value
    first.head.next = await first.head.list.next()
  }
}

/** Yields all records under a prefix in descending order, page by page, each as long as `limit`. */
export async function* pagesOf(
  table: Pick<Table, "page">,
  pk: string,
  prefix: string,
  { limit, after: first }: PageRequest,
): AsyncGenerator<readonly Item[]> {
  for (let after = first; ; ) {
    const { items, hasMore } = await table.page(pk, prefix, { limit, after })
    yield items
    if (!hasMore) return
    after = String(items.at(-1)?.sk)
  }
}
