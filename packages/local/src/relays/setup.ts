import * as z from "zod"

/** What a worker of the relays is told at its start. It comes over the channel, and stands in no environment. */
export const setupSchema = z.object({
  /** Configuration, as environment variables. */
  environment: z.record(z.string(), z.string().optional()),
  credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
  trust: z.array(z.string()),
  names: z.array(z.string()),
})

export type Setup = z.infer<typeof setupSchema>
