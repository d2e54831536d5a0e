import { countParameter } from "@sealway/http"
import * as z from "zod"

const MAX_PAGE_SIZE = 50

/** The query parameters of a list with numbered pages. Add other parameters with `extend`. */
export const pagesQuerySchema = z.strictObject({
  page: z
    .stringFormat("page", /^[0-9]{1,6}$/)
    .transform(Number)
    .default(0)
    .meta({ description: "Page number, from 0", override: { type: "integer", minimum: 0, default: 0 } }),
  pageSize: countParameter(MAX_PAGE_SIZE, MAX_PAGE_SIZE),
})

/** Returns the schema of such a list, newest first. @param id names the schema in the OpenAPI document */
export function pagesReplySchema<Item extends z.ZodType>(item: Item, id: string) {
  return z
    .object({
      data: z.array(item).describe("Newest first"),
      pageSize: z.int(),
      nextPage: z.int().nullable().describe("Number of the next page; null on the last page"),
      total: z.int().describe("Total number of items"),
    })
    .meta({ id })
}

/** Returns one page of values in memory. */
export function pageByNumber<Value, Shown>(
  values: readonly Value[],
  { page, pageSize }: z.infer<typeof pagesQuerySchema>,
  show: (value: Value) => Shown,
): { data: Shown[]; pageSize: number; nextPage: number | null; total: number } {
  const end = (page + 1) * pageSize
  return {
    data: values.slice(page * pageSize, end).map(show),
    pageSize,
    nextPage: end < values.length ? page + 1 : null,
    total: values.length,
  }
}
