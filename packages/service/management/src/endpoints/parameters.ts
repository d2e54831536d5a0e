import { idParameter } from "@sealway/http"
import { ONE_LINE, ONE_LINE_RULE } from "@sealway/kernel"
import * as z from "zod"

/** Enough for any request here. */
export const MAX_PARAMETER_BYTES = 16 * 1024

/** A label for people: one line. */
export const nameSchema = z
  .string()
  .min(1)
  .max(100)
  .regex(ONE_LINE, ONE_LINE_RULE)
  .describe("1 to 100 characters, for people")

export const appPathSchema = z.object({ app_id: idParameter("app", "Id of the app") })

export const keyPathSchema = appPathSchema.extend({ key_id: idParameter("key", "Id of the key") })
