import { ConnectionError } from "../errors/errors.ts"

/** Fetches the page after `next`; the first one if it is null. */
type FetchPage = (next: string | null) => Promise<unknown>

/**
 * A list, page by page. Nothing is fetched until it is asked for.
 *
 * ```ts
 * for await (const role of sealway.api.listDataRoles()) console.log(role.slug)
 * const newest = await sealway.api.listDataRoles({ limit: 5 }).first()
 * ```
 */
export class Pages<Item> implements AsyncIterable<Item> {
  readonly #fetchPage: FetchPage

  constructor(fetchPage: FetchPage) {
    this.#fetchPage = fetchPage
  }

  /** Returns the items of the first page. */
  async first(): Promise<readonly Item[]> {
    return (await this.page()).data
  }

  /**
   * Returns one page, for lists that people page through.
   *
   * @param after the `next` of the page before it. Default: null, the first page
   */
  async page(after: string | null = null): Promise<ListedPage<Item>> {
    return readPage<Item>(await this.#fetchPage(after))
  }

  /** Iterates over the pages. */
  async *pages(): AsyncGenerator<ListedPage<Item>, void, undefined> {
    const seen = new Set<string>()
    let next: string | null = null
    do {
      const page: ListedPage<Item> = await this.page(next)
      next = page.next
      // The list would never end.
      if (next !== null && seen.has(next)) {
        throw new ConnectionError("unexpected-response", "The list does not advance.")
      }
      if (next !== null) seen.add(next)
      yield page
    } while (next !== null)
  }

  /** Iterates over the items of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data
  }
}

/** A page of a list. */
export interface ListedPage<Item> {
  readonly data: readonly Item[]
  /** What selects the next page; null after the last one. */
  readonly next: string | null
  /** How many items the whole list has, if the service counts them. */
  readonly total?: number
}

interface ListAnswer<Item> {
  readonly data: readonly Item[]
  readonly hasMore?: boolean
  readonly continueAfter?: string | null
  readonly nextPage?: number | null
  readonly total?: number
}

/** @throws ConnectionError if it is no page of a list */
function readPage<Item>(answer: unknown): ListedPage<Item> {
  if (!isList<Item>(answer)) throw new ConnectionError("unexpected-response", "The answer is not a list.")
  const { data, total } = answer
  return { data, next: nextOf(answer), ...(total !== undefined && { total }) }
}

function nextOf({ data, hasMore, continueAfter, nextPage }: ListAnswer<unknown>): string | null {
  if (typeof nextPage === "number") return String(nextPage)
  if (hasMore !== true) return null
  if (typeof continueAfter === "string") return continueAfter
  const last = data.at(-1)
  const hasId = typeof last === "object" && last !== null && "id" in last && typeof last.id === "string"
  if (!hasId) throw new ConnectionError("unexpected-response", "The list does not say how it continues.")
  return String(last.id)
}

function isList<Item>(answer: unknown): answer is ListAnswer<Item> {
  return typeof answer === "object" && answer !== null && "data" in answer && Array.isArray(answer.data)
}
