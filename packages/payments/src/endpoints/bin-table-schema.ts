import { idParameter } from "@sealway/platform"
import * as z from "zod"
import type { ShownBinTable } from "../bins/manage-bin-tables.ts"
import { createdAtSchema } from "../schemas/common.ts"

/** Enough for a name. */
export const MAX_PARAMETER_BYTES = 16 * 1024

export const binTableNameSchema = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, "A name is one line, without control characters")
  .describe("1 to 100 characters, for people")

export const binTablePathSchema = z.object({
  bin_table_id: idParameter("bin_table", "Id of the BIN table"),
})

export const binTableSchema = z
  .object({
    id: z.string(),
    name: binTableNameSchema,
    status: z
      .enum(["importing", "active", "inactive"])
      .describe(
        "`importing` takes rows. `active` serves look-ups of the team's apps. `inactive` served before, and can be activated again",
      ),
    rows: z.int().describe("How many rows it has"),
    createdAt: createdAtSchema,
    updatedAt: createdAtSchema,
  })
  .meta({ id: "BinTable" })

export function showBinTable({ id, name, status, isActive, rows, createdAt, updatedAt }: ShownBinTable) {
  const shown = isActive ? "active" : status === "complete" ? "inactive" : status
  return { id, name, status: shown, rows, createdAt, updatedAt } as const
}
