import { idParameter } from "@sealway/platform"
import * as z from "zod"

/** Enough for any request here. */
export const MAX_PARAMETER_BYTES = 16 * 1024

/** A label for people: one line. */
export const nameSchema = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, "A name must be one line, without control characters")
  .describe("1 to 100 characters, for people")

export const appPathSchema = z.object({ app_id: idParameter("app", "Id of the app") })

export const keyPathSchema = appPathSchema.extend({ key_id: idParameter("key", "Id of the key") })
