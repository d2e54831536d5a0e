import type * as z from "zod"
import type { listSchema } from "./answers.ts"
import type { CliHost } from "./host.ts"
import { listPages } from "./list-pages.ts"
import type { Call, ServiceClient } from "./service-client.ts"

type Item = z.infer<typeof listSchema>["data"][number]

const POLL_EVERY_MS = 2_000
/** How far back each poll looks: records may be listed some time after they were made. */
const WINDOW_MS = 15 * 60_000
const MAX_PAGES = 50
const MAX_SEEN = 20_000

/**
 * Lists again and again, and yields what was not there before, oldest first; first of all the newest ones that there are
 * already. Ends when the user gives up.
 *
 * A poll stops at a page of which it knows everything. What is listed late, behind a hundred newer ones, is not seen.
 *
 * @param call of a list that takes `from`, epoch milliseconds
 * @param maxFirst how many to begin with
 * @param onSkipped called when there were too many to show all
 */
export async function* followList(
  service: ServiceClient,
  { wallClock, sleep, signal }: Pick<CliHost, "wallClock" | "sleep" | "signal">,
  call: Pick<Call, "path" | "query">,
  maxFirst: number,
  onSkipped: () => void,
): AsyncGenerator<Item> {
  const seen = new Set<string>()
  for (let isFirst = true; ; isFirst = false) {
    const query = { ...call.query, from: String(wallClock() - WINDOW_MS) }
    const found: Item[] = []
    let pages = 0
    for await (const { items } of listPages(service, { ...call, query }, Number.POSITIVE_INFINITY)) {
      const fresh = items.filter(({ id }) => !seen.has(id))
      found.push(...fresh)
      if (fresh.length === 0 && items.length > 0) break
      if (isFirst && found.length >= maxFirst) break
      if (++pages === MAX_PAGES) {
        if (!isFirst) onSkipped()
        break
      }
    }
    for (const { id } of found.toReversed()) seen.add(id)
    for (const id of seen) {
      if (seen.size <= MAX_SEEN) break
      seen.delete(id)
    }
    yield* (isFirst ? found.slice(0, maxFirst) : found).toReversed()
    await sleep(POLL_EVERY_MS, signal)
  }
}
