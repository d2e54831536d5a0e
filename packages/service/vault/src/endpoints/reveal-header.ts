import { REVEALS } from "@sealway/policies"
import * as z from "zod"

/** `X-Service-Reveal`: what a caller takes of values that policies let it see masked, or in full. */
export const revealHeader = z
  .enum(REVEALS)
  .optional()
  .describe(
    "`full` refuses with 403 `decrypt/masked-only` where policies permit masks only, so that a program never takes a mask for a value. `masked` returns masks, even where full values are permitted; a value without a role or mask becomes `•••`. By default values are full where policies permit it, and masked where they permit masks",
  )
