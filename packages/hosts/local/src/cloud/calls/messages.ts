import { MB } from "@sealway/kernel"
import * as z from "zod"
import { encodeFrame } from "../frames.ts"

export const callSchema = z.object({ id: z.int(), method: z.string(), input: z.unknown() })

const errorSchema = z.object({ name: z.string(), message: z.string() })

export const answerSchema = z.union([
  z.object({ id: z.int(), error: errorSchema }),
  z.object({ id: z.int(), result: z.unknown() }),
])

/** A megabyte of records, with each character escaped twice. */
export const MAX_MESSAGE_BYTES = 16 * MB

/** Returns null when the message is too long. */
export function encodeMessage(
  message: z.infer<typeof callSchema> | z.infer<typeof answerSchema>,
): Buffer | null {
  const body = Buffer.from(JSON.stringify(message))
  return body.length > MAX_MESSAGE_BYTES ? null : encodeFrame("M", body)
}
