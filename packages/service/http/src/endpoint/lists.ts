import { type IdPrefix, idPattern } from "@sealway/kernel"
import type { RecordPage, RecordPageRequest } from "@sealway/ports"
import * as z from "zod"

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 100

/** Returns the schema of a count from 1 in a query, where it is text. The OpenAPI document shows it as a number. */
export function countParameter(max: number, byDefault: number) {
  return z
    .stringFormat("limit", /^[0-9]{1,4}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .default(byDefault)
    .meta({
      description: `Page size, 1 to ${max}. Default: ${byDefault}`,
      override: { type: "integer", minimum: 1, maximum: max, default: byDefault },
    })
}

/** The length of a page. */
export const limitSchema = countParameter(MAX_LIMIT, DEFAULT_LIMIT)

/** A point in time in a query. */
export const timeQuerySchema = z
  .stringFormat("epoch milliseconds", /^[0-9]{1,15}$/)
  .transform(Number)
  .optional()

/** Returns the schema of a filtered list, newest first. @param id names the schema in the OpenAPI document */
export function filteredReplySchema<Item extends z.ZodType>(item: Item, id: string) {
  return z
    .object({
      data: z.array(item).describe("Newest first"),
      hasMore: z.boolean().describe("Whether there may be older items"),
      continueAfter: z
        .string()
        .nullable()
        .describe("The `startingAfter` of the next page; null on the last page"),
    })
    .meta({ id })
}

/** Returns the schema of the query parameters of a list of things with ids. Add other parameters with `extend`. */
export function listQuerySchema(prefix: IdPrefix) {
  return z.strictObject({
    limit: limitSchema,
    startingAfter: z
      .string()
      .regex(idPattern(prefix), `The id must begin with ${prefix}_`)
      .optional()
      .describe("The last id of the previous page"),
  })
}

/** Returns the schema of a list, newest first. @param id names the schema in the OpenAPI document */
export function listReplySchema<Item extends z.ZodType>(item: Item, id: string) {
  return z
    .object({
      data: z.array(item).describe("Newest first"),
      hasMore: z.boolean().describe("Whether there are older items"),
    })
    .meta({ id })
}

/** Returns a page of values in memory, newest first by id. */
export function pageOf<Value extends { readonly id: string }>(
  values: readonly Value[],
  { limit, startingAfter }: RecordPageRequest,
): { data: Value[]; hasMore: boolean } {
  const older = values
    .filter(({ id }) => startingAfter === undefined || id < startingAfter)
    .sort((left, right) => (left.id < right.id ? 1 : -1))
  return { data: older.slice(0, limit), hasMore: older.length > limit }
}

/** Converts a page to its reply. */
export function replyOf<Value, Shown>(
  { data, hasMore }: RecordPage<Value>,
  show: (value: Value) => Shown,
): { data: Shown[]; hasMore: boolean } {
  return { data: data.map(show), hasMore }
}
