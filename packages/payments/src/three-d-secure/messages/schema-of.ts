import * as z from "zod"
import type { Fields, MessageOf } from "./field.ts"

/**
 * The zod schema of a message: its elements and their formats. Whether an element that is not always there is required or
 * refused depends on other elements and on the request that a response answers; `readMessage` decides it. Elements that
 * the table does not name are dropped.
 */
export function schemaOf<Table extends Fields>(fields: Table): z.ZodType<MessageOf<Table>> {
  const shape: Record<string, z.ZodType> = {}
  for (const [name, { format, isAlways }] of Object.entries(fields)) {
    shape[name] = isAlways ? format : format.optional()
  }
  // The shape is that of the table, element by element, which the type of `Object.entries` cannot tell.
  return z.object(shape) as unknown as z.ZodType<MessageOf<Table>>
}
