import * as z from "zod"

/** The name of a request for a network. It reveals nothing. */
export const referenceSchema = z.string().min(1).max(100)

export const requestedAtSchema = z.int().min(0).describe("Time of the first request, in epoch milliseconds")

export const checkAfterSchema = z
  .int()
  .min(0)
  .max(48 * 60 * 60_000)
  .optional()
  .describe(
    "Time until Sealway should ask again, in milliseconds. Absent if the network reports changes by itself",
  )
