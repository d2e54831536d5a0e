/** A page of a filtered list. */
export interface FilteredPage<Value> {
  data: Value[]
  hasMore: boolean
  /** The cursor of the next page; null when there is none. */
  continueAfter: string | null
}

export interface FilteredPageRequest<Value> {
  readonly limit: number
  /** How many records one page may examine to find matching ones. */
  readonly maxLookedAt: number
  readonly takes: (value: Value) => boolean
}

/** Returns the first records that match a filter, of records that come newest first. */
export async function pageFiltered<Value extends { readonly id: string }>(
  values: AsyncIterable<Value>,
  { limit, maxLookedAt, takes }: FilteredPageRequest<Value>,
): Promise<FilteredPage<Value>> {
  const data: Value[] = []
  let lookedAt = 0
  let last: Value | null = null
  for await (const value of values) {
    if (last !== null && (data.length === limit || lookedAt === maxLookedAt)) {
      return { data, hasMore: true, continueAfter: last.id }
    }
    lookedAt++
    last = value
    if (takes(value)) data.push(value)
  }
  return { data, hasMore: false, continueAfter: null }
}
