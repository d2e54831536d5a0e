import * as z from "zod"

/** What an endpoint can ask for by name. */
const NAMED_EVENTS = [
  "function.run.completed",
  "function.deployment.started",
  "function.deployment.updated",
  "function.deployment.finished",
  "relay.error",
  "audit-log.event",
] as const

const MAX_PATTERNS = 20
const PAYMENTS_PATTERN = /^payments\.(?:\*|[a-z0-9-]{1,40}(?:\.[a-z0-9-]{1,40}){0,3})$/

const patternSchema = z.union(
  [z.literal("*"), z.enum(NAMED_EVENTS), z.stringFormat("payments-event", PAYMENTS_PATTERN)],
  { error: "This is not the name of an event" },
)

/** The events that an endpoint takes: `*` for all, names, `payments.*` and names under `payments.`. */
export const eventPatternsSchema = z
  .array(patternSchema)
  .min(1)
  .max(MAX_PATTERNS)
  .refine((patterns) => new Set(patterns).size === patterns.length, "An event is named twice")
  .meta({
    description: "`*` for all events; or names of events, `payments.*` and names under `payments.`, up to 20",
    examples: [["audit-log.event", "payments.*"]],
  })
