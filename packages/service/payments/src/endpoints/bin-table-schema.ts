import { createdAtSchema, type ShownBinTable } from "@sealway/bins"
import { idParameter } from "@sealway/http"
import { ONE_LINE, ONE_LINE_RULE } from "@sealway/kernel"
import * as z from "zod"

/** Enough for a name. */
export const MAX_PARAMETER_BYTES = 16 * 1024

export const binTableNameSchema = z
  .string()
  .min(1)
  .max(100)
  .regex(ONE_LINE, ONE_LINE_RULE)
  .describe("1 to 100 characters, for people")

export const binTablePathSchema = z.object({ bin_table_id: idParameter("bin_table", "Id of the BIN table") })

export const binTableSchema = z
  .object({
    id: z.string(),
    name: binTableNameSchema,
    status: z
      .enum(["importing", "active", "inactive"])
      .describe(
        "`importing` accepts rows. `active` serves lookups of the team's apps. `inactive` was active before and can be activated again",
      ),
    rows: z.int().describe("Number of rows"),
    createdAt: createdAtSchema,
    updatedAt: createdAtSchema,
  })
  .meta({ id: "BinTable" })

export function showBinTable({ id, name, status, isActive, rows, createdAt, updatedAt }: ShownBinTable) {
  const shown = isActive ? "active" : status === "complete" ? "inactive" : status
  return { id, name, status: shown, rows, createdAt, updatedAt } as const
}
