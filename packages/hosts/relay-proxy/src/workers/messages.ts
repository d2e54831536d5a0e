import * as z from "zod"

/** Messages from the listening process to a worker. A `connection` comes with its socket. */
export const toWorkerSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("setup"), setup: z.unknown() }),
  z.object({ type: z.literal("connection"), number: z.int(), listener: z.string() }),
  z.object({ type: z.literal("change"), number: z.int(), change: z.unknown() }),
  z.object({ type: z.literal("report"), number: z.int() }),
  z.object({ type: z.literal("drain") }),
])

export type ToWorker = z.infer<typeof toWorkerSchema>

/**
 * Messages from a worker: that it accepts connections, the number of one that it has taken, that of the latest change that
 * it has applied, and what it has to report.
 */
export const fromWorkerSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("taken"), number: z.int() }),
  z.object({ type: z.literal("learned"), number: z.int() }),
  z.object({ type: z.literal("reported"), number: z.int(), report: z.unknown() }),
])

export type FromWorker = z.infer<typeof fromWorkerSchema>
