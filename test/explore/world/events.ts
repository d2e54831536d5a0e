import * as z from "zod"
import type { World } from "./world.ts"

const eventSchema = z.object({ id: z.string(), type: z.string(), data: z.string().nullable() })

/** Returns the events that were published: those of the same id are one. @returns their data as JSON; "" where sealed */
export function publishedEvents(world: World) {
  return [...(world.tables.get("events") ?? [])]
    .filter(([key]) => key.includes("\nwebhook-event#"))
    .map(([, item]) => eventSchema.parse(item))
    .map(({ data, ...event }) => ({ ...event, data: data ?? "" }))
    .filter(({ type }) => type !== "audit-log.event")
}
