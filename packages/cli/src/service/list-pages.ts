import type { Command } from "commander"
import * as z from "zod"
import { UnavailableFailure } from "../terminal/failures.ts"
import { formatJson } from "../terminal/format.ts"
import type { Column, Output } from "../terminal/output.ts"
import { listSchema, readAnswer } from "./answers.ts"
import type { Call, ServiceClient } from "./service-client.ts"

const MAX_PAGE = 100
const DEFAULT_LIMIT = 10
/** Where following pages ends, in case a service never says that there are no more. */
const MAX_PAGES = 100_000

/** The options of every `list`. */
export const listOptionsSchema = z.object({
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,5}$/, "--limit must be a whole number from 1 to 999999")
    .default(String(DEFAULT_LIMIT))
    .transform(Number),
  all: z.boolean().default(false),
  startingAfter: z.string().optional(),
})

export function addListOptions(command: Command): Command {
  return addNumberedListOptions(command).option("--starting-after <id>", "start after this id")
}

/** Adds the options of a list with numbered pages. */
export function addNumberedListOptions(command: Command): Command {
  return command
    .option("--limit <number>", `maximum number, newest first (default: ${DEFAULT_LIMIT})`)
    .option("--all", "list all of them")
}

interface ListOptions extends z.infer<typeof listOptionsSchema> {}

type Item = z.infer<typeof listSchema>["data"][number]

/** Yields the pages of a list, one call each, until `maxItems` came or there are no more. */
export async function* listPages(
  service: ServiceClient,
  call: Pick<Call, "path" | "query">,
  maxItems: number,
  startingAfter?: string,
): AsyncGenerator<{ readonly items: readonly Item[]; readonly hasMore: boolean }> {
  let after = startingAfter
  let missing = maxItems
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { ...call.query, limit: String(Math.min(MAX_PAGE, missing)), startingAfter: after }
    const response = await service.send({ method: "GET", path: call.path, query })
    const { data: items, hasMore, continueAfter } = (await readAnswer(response, listSchema)).value
    yield { items, hasMore }
    missing -= items.length
    if (!hasMore || missing <= 0) return
    // A page of a filtered list may be empty with more after it; then the answer contains a cursor.
    const next = continueAfter ?? items.at(-1)?.id
    if (next === undefined || next === after) break
    after = next
  }
  throw new UnavailableFailure("The service's list does not end.")
}

/** Reads all items of a list with a schema. */
export async function listAll<Value>(
  service: ServiceClient,
  path: readonly string[],
  schema: z.ZodType<Value>,
): Promise<Value[]> {
  const values: Value[] = []
  for await (const { items } of listPages(service, { path }, Number.POSITIVE_INFINITY)) {
    for (const item of items) values.push(parseItem(schema, item))
  }
  return values
}

/** Prints a list according to `--limit`, `--all` and the output mode. */
export async function printList<Value>(
  service: ServiceClient,
  output: Output,
  call: Pick<Call, "path" | "query">,
  { limit, all, startingAfter }: ListOptions,
  schema: z.ZodType<Value>,
  columns: readonly Column<Value>[],
): Promise<void> {
  const items: Item[] = []
  let isMore = false
  for await (const page of listPages(service, call, all ? Number.POSITIVE_INFINITY : limit, startingAfter)) {
    items.push(...page.items)
    isMore = page.hasMore
    if (isMore && items.length >= MAX_PAGE) output.progress(`${items.length} …`)
  }
  if (output.mode === "json") output.json(formatJson({ data: items, hasMore: isMore }))
  else if (output.mode === "quiet") for (const { id } of items) output.line(id)
  else {
    output.rows(
      columns,
      items.map((item) => parseItem(schema, item)),
    )
    if (items.length === 0) output.hint("Nothing to list.")
    if (isMore) output.note("There are more. Use --limit or --all to see them.")
  }
}

/** @throws UnavailableFailure when this release does not understand it */
export function parseItem<Value>(schema: z.ZodType<Value>, item: Item): Value {
  const parsed = schema.safeParse(item)
  if (parsed.success) return parsed.data
  throw new UnavailableFailure(
    "This version of the command line does not understand an item in the service's list. Update it.",
    {
      cause: parsed.error,
    },
  )
}
