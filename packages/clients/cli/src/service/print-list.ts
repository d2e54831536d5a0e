import type { Pages } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { formatJson } from "../terminal/format.ts"
import type { Column, Output } from "../terminal/output.ts"

const MAX_PAGE = 100
const DEFAULT_LIMIT = 10

/** The options of every list. */
export const listOptionsSchema = z.object({
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,5}$/, "--limit must be a whole number from 1 to 999999")
    .default(String(DEFAULT_LIMIT))
    .transform(Number),
  all: z.boolean().default(false),
  startingAfter: z.string().optional(),
})

export type ListOptions = z.infer<typeof listOptionsSchema>

export function addListOptions(command: Command): Command {
  return addNumberedListOptions(command).option("--starting-after <id>", "start after this id")
}

/** Adds the options of a list with numbered pages. */
export function addNumberedListOptions(command: Command): Command {
  return command
    .option("--limit <number>", `maximum number, newest first (default: ${DEFAULT_LIMIT})`)
    .option("--all", "list all of them")
}

/** Where a list begins, and how much of it a page has. */
export interface PageRequest {
  readonly limit: number
  readonly startingAfter: string | undefined
}

/** Returns what to ask for so that no page has more than the wanted items. */
export function pageRequestOf({ limit, all, startingAfter }: ListOptions): PageRequest {
  return { limit: all ? MAX_PAGE : Math.min(MAX_PAGE, limit), startingAfter }
}

/** Prints a list according to `--limit`, `--all` and the output mode. */
export async function printList<Item extends { readonly id: string }>(
  output: Output,
  { limit, all }: Pick<ListOptions, "limit" | "all">,
  columns: readonly Column<Item>[],
  list: Pages<Item>,
): Promise<void> {
  const wanted = all ? Number.POSITIVE_INFINITY : limit
  const items: Item[] = []
  let total: number | null = null
  let isMore = false
  for await (const page of list.pages()) {
    items.push(...page.data)
    total = page.total ?? null
    isMore = page.next !== null || items.length > wanted
    if (items.length >= wanted) break
    if (isMore && items.length >= MAX_PAGE) output.progress(`${items.length} …`)
  }
  const shown = items.slice(0, wanted)
  if (output.mode === "json") {
    output.json(formatJson({ data: shown, ...(total === null ? { hasMore: isMore } : { total }) }))
  } else if (output.mode === "quiet") for (const { id } of shown) output.line(id)
  else {
    output.rows(columns, shown)
    if (shown.length === 0) output.hint("Nothing to list.")
    const count = total === null ? "There are more." : `${shown.length} of ${total}.`
    if (isMore) output.note(`${count} Use --limit or --all to see ${total === null ? "them" : "more"}.`)
  }
}
