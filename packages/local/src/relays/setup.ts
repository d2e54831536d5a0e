import * as z from "zod"

/** The settings of a relay worker at its start. They come over the channel, and are not in any environment. */
export const setupSchema = z.object({
  /** Configuration, as environment variables. */
  environment: z.record(z.string(), z.string().optional()),
  trust: z.array(z.string()),
  names: z.array(z.string()),
  dashboardUrl: z.string(),
  /** The memory of the worker. */
  memoryBytes: z.number(),
})

export type Setup = z.infer<typeof setupSchema>
