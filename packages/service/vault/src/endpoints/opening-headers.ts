import { REVEAL_LEVELS } from "@sealway/policies"
import * as z from "zod"

/** `X-Service-Reveal`: what a caller takes of values that policies let it see masked, or in full. */
const revealHeader = z
  .enum(REVEAL_LEVELS)
  .optional()
  .describe(
    "`full` refuses with 403 `decrypt/masked-only` where policies permit masks only, so that a program never takes a mask for a value. `masked` returns masks, even where full values are permitted; a value without a role or mask becomes `•••`. By default values are full where policies permit it, and masked where they permit masks",
  )

/** `X-Service-Reason`: why a caller wants values. Kept in the access record, and nowhere else. */
const reasonHeader = z
  .string()
  .regex(/^[!-~](?:[ -~]{0,198}[!-~])?$/, "A reason must be 1 to 200 printable ASCII characters")
  .optional()
  .describe(
    "Why you decrypt the values: 1 to 200 printable ASCII characters, such as a ticket's number. The access record keeps it. Policies with `requiresReason` permit only requests that have it; others are refused with 403 `decrypt/reason-required`",
  )

/** The headers of a request for values. */
export const openingHeaders = { "x-service-reveal": revealHeader, "x-service-reason": reasonHeader }
