import * as z from "zod"
import type { Fields, MessageOf } from "./field.ts"

/**
 * Returns the zod schema of a message: its elements and their formats. Whether an optional element is required or
 * refused depends on other elements and on the answered request; `readMessage` checks that. Elements outside the table
 * are dropped.
 */
export function schemaOf<Table extends Fields>(fields: Table): z.ZodType<MessageOf<Table>> {
  return z.lazy(() => {
    const shape: Record<string, z.ZodType> = {}
    for (const [name, { format, isAlways }] of Object.entries(fields)) {
      shape[name] = isAlways ? format : format.optional()
    }
    // The shape matches the table, element by element, which the type of `Object.entries` cannot express.
    return z.object(shape) as unknown as z.ZodType<MessageOf<Table>>
  })
}
