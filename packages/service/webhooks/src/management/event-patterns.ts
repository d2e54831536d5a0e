import { NAMED_EVENTS } from "@sealway/records/event-types"
import * as z from "zod"

const MAX_PATTERNS = 20
/** Names, or `*` for all, under the areas that publish events. */
const AREA_PATTERN =
  /^(?:payments\.(?:\*|[a-z0-9-]{1,40}(?:\.[a-z0-9-]{1,40}){0,3})|enclave\.deployment\.(?:\*|[a-z0-9-]{1,40}))$/

const KNOWN = `*, ${NAMED_EVENTS.join(", ")}, payments.* and names under it, enclave.deployment.* and names under it`

const patternSchema = z.union(
  [z.literal("*"), z.enum(NAMED_EVENTS), z.stringFormat("event-pattern", AREA_PATTERN)],
  { error: `Unknown event. Known events: ${KNOWN}` },
)

/**
 * The subscriptions of an endpoint: `*` for all, event names, and `payments.*` or `enclave.deployment.*` or names under
 * them.
 */
export const eventPatternsSchema = z
  .array(patternSchema)
  .min(1)
  .max(MAX_PATTERNS)
  .refine((patterns) => new Set(patterns).size === patterns.length, "An event is listed twice")
  .meta({ description: `Up to ${MAX_PATTERNS} of: ${KNOWN}`, examples: [["audit-log.event", "payments.*"]] })
