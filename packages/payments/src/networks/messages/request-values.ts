import * as z from "zod"

/** The name of a request for a network. It reveals nothing. */
export const referenceSchema = z.string().min(1).max(100)

export const requestedAtSchema = z.int().min(0).describe("When it was first asked for, in epoch milliseconds")

export const checkAfterSchema = z
  .int()
  .min(0)
  .max(48 * 60 * 60_000)
  .optional()
  .describe("When to ask again, in milliseconds. Absent: the network tells by itself")
