import * as z from "zod"
import { UnavailableFailure } from "../terminal/failures.ts"
import { formatJson } from "../terminal/format.ts"
import type { Column, Output } from "../terminal/output.ts"
import type { HttpAnswer } from "../terminal/send-request.ts"
import { readAnswer } from "./answers.ts"
import { listOptionsSchema, parseItem } from "./list-pages.ts"
import type { ServiceClient } from "./service-client.ts"

const PAGE_SIZE = 50
/** Where following pages ends, in case a service never says that there are no more. */
const MAX_PAGES = 10_000

const pageSchema = z.object({
  data: z.array(z.looseObject({ id: z.string() })),
  nextPage: z.number().nullable(),
  total: z.number(),
})

/** The options of a list with numbered pages. */
export const numberedListOptionsSchema = listOptionsSchema.omit({ startingAfter: true })

/** Prints a list with numbered pages, according to `--limit`, `--all` and the output mode. */
export async function printNumberedList<Value>(
  service: ServiceClient,
  output: Output,
  path: readonly string[],
  query: Readonly<Record<string, string>>,
  { limit, all }: z.infer<typeof numberedListOptionsSchema>,
  schema: z.ZodType<Value>,
  columns: readonly Column<Value>[],
): Promise<void> {
  const wanted = all ? Number.POSITIVE_INFINITY : limit
  const items: z.infer<typeof pageSchema>["data"] = []
  let total = 0
  for (let page: number | null = 0; page !== null && items.length < wanted; ) {
    if (page > MAX_PAGES) throw new UnavailableFailure("The service's list does not end.")
    const asked: Readonly<Record<string, string>> = {
      ...query,
      page: String(page),
      pageSize: String(PAGE_SIZE),
    }
    const response: HttpAnswer = await service.send({ method: "GET", path, query: asked })
    const { value }: { readonly value: z.infer<typeof pageSchema> } = await readAnswer(response, pageSchema)
    items.push(...value.data)
    total = value.total
    page = value.nextPage !== null && value.nextPage > page ? value.nextPage : null
  }
  const shown = items.slice(0, wanted)
  if (output.mode === "json") output.json(formatJson({ data: shown, total }))
  else if (output.mode === "quiet") for (const { id } of shown) output.line(id)
  else {
    output.rows(
      columns,
      shown.map((item) => parseItem(schema, item)),
    )
    if (shown.length === 0) output.hint("Nothing to list.")
    if (shown.length < total) output.note(`${shown.length} of ${total}. Use --limit or --all to see more.`)
  }
}
