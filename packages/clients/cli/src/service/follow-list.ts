import type { Pages } from "@sealway/sdk/api"
import type { Command } from "commander"
import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"

type FollowHost = Pick<CliHost, "wallClock" | "sleep" | "signal">

const POLL_EVERY_MS = 2_000
/** How far back each poll looks: records may be listed some time after they were created. */
const WINDOW_MS = 15 * 60_000
const MAX_PAGES = 50
/** More than one poll can find. */
export const MAX_SEEN = 20_000

/** Finds the items that were not there before. */
export type FindNew<Found> = (isKnown: (id: string) => boolean, isFirst: boolean) => Promise<readonly Found[]>

/** Adds the option of the commands that can follow a list. */
export function addFollowOption(command: Command): Command {
  return command.option(
    "--follow",
    "keep showing new ones, newest last, until Ctrl-C; with --json, one per line",
  )
}

/** @throws UsageFailure when an option selects one piece of the list, which has an end */
export function refuseWithFollow(options: Readonly<Record<string, unknown>>): void {
  const given = Object.entries(options).find(([, value]) => value !== undefined && value !== false)
  if (given !== undefined) throw new UsageFailure(`--follow cannot be combined with ${given[0]}.`)
}

/**
 * Polls repeatedly, and yields new items, oldest first, starting with the newest existing ones. Ends when the user
 * gives up.
 *
 * @param maxFirst how many to start with
 * @param findNew finds them, oldest first
 */
export async function* followNew<Found extends { readonly id: string }>(
  { sleep, signal }: Pick<CliHost, "sleep" | "signal">,
  maxFirst: number,
  findNew: FindNew<Found>,
): AsyncGenerator<Found> {
  const seen = new Set<string>()
  for (let isFirst = true; ; isFirst = false) {
    const found = await findNew((id) => seen.has(id), isFirst)
    for (const { id } of found) seen.add(id)
    for (const id of seen) {
      if (seen.size <= MAX_SEEN) break
      seen.delete(id)
    }
    yield* isFirst ? found.slice(-maxFirst) : found
    await sleep(POLL_EVERY_MS, signal)
  }
}

/**
 * Lists newest first, the largest pages.
 *
 * @param from the minimum time, epoch milliseconds, for lists that take one
 */
export type ListFrom<Item> = (from: number) => Pages<Item>

/**
 * Follows a list that is sorted newest first.
 *
 * A poll stops at a page with a known item: everything after it is older than the first items shown. An item that is
 * listed late, behind a hundred newer ones, is missed.
 *
 * @param takesFrom whether the list supports a minimum time
 * @param onSkipped called when there were too many to show all
 */
export function followList<Item extends { readonly id: string }>(
  host: FollowHost,
  list: ListFrom<Item>,
  maxFirst: number,
  onSkipped: () => void,
  takesFrom = true,
): AsyncGenerator<Item> {
  return followNew(host, maxFirst, async (isKnown, isFirst) => {
    const found: Item[] = []
    let pages = 0
    for await (const { data: items } of list(host.wallClock() - WINDOW_MS).pages()) {
      const fresh = items.filter(({ id }) => !isKnown(id))
      found.push(...fresh)
      if (fresh.length < items.length) break
      if (isFirst && found.length >= maxFirst) break
      // Without a minimum time, a filter without matches would make each poll read the whole list.
      if (!takesFrom && !isFirst && items.length === 0) break
      if (++pages === MAX_PAGES) {
        if (!isFirst) onSkipped()
        break
      }
    }
    return found.toReversed()
  })
}
