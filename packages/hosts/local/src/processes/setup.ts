import * as z from "zod"
import { forwardAddressSchema } from "./forwarded-connections.ts"

/** The settings of a worker at its start. They come over the channel, and are not in any environment. */
export const setupSchema = z.object({
  /** Configuration, as environment variables. */
  environment: z.record(z.string(), z.string().optional()),
  trust: z.array(z.string()),
  names: z.array(z.string()),
  dashboardUrl: z.string(),
  /** The memory of the worker. */
  memoryBytes: z.number(),
  api: z.object({
    /** The address that callers reach it at. */
    port: z.int(),
    host: z.string(),
    allowedHosts: z.array(z.string()),
    load: z.object({
      maxConnections: z.int().exactOptional(),
      maxRequestsInFlight: z.int().exactOptional(),
      stallTimeoutMs: z.number().exactOptional(),
    }),
    /** All of the service's routes. The worker answers those of its own endpoints. */
    routes: z.array(z.object({ method: z.string(), path: z.string(), functionName: z.string() })),
    forwardAddress: forwardAddressSchema,
  }),
})

export type Setup = z.infer<typeof setupSchema>
