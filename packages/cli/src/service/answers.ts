import { MB } from "@sealway/kernel"
import * as z from "zod"
import { UnavailableFailure } from "../terminal/failures.ts"
import { readBounded } from "../terminal/read-bounded.ts"
import type { HttpAnswer } from "../terminal/send-request.ts"

const MAX_ANSWER_BYTES = 64 * MB

/** A JSON answer: the original text, and the value parsed by a schema. */
export interface ParsedAnswer<Value> {
  readonly text: string
  readonly value: Value
}

/** @throws UnavailableFailure when this release does not understand the answer */
export async function readAnswer<Value>(
  response: HttpAnswer,
  schema: z.ZodType<Value>,
): Promise<ParsedAnswer<Value>> {
  const text = await readAnswerText(response)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw unknownAnswer(error)
  }
  const parsed = schema.safeParse(json)
  if (!parsed.success) throw unknownAnswer(parsed.error)
  return { text, value: parsed.data }
}

/** Reads all of an answer's body. @throws UnavailableFailure when it breaks off or does not end */
export async function readAnswerText({ body }: HttpAnswer): Promise<string> {
  let bytes: Buffer | null
  try {
    bytes = await readBounded(body, MAX_ANSWER_BYTES)
  } catch (error) {
    throw new UnavailableFailure("The connection to the service was lost.", { cause: error })
  }
  if (bytes === null) throw unknownAnswer()
  return bytes.toString()
}

function unknownAnswer(cause?: unknown): UnavailableFailure {
  return new UnavailableFailure(
    "This version of the command line does not understand the service's response. Update it.",
    {
      cause,
    },
  )
}

/** A page of a list. Items have an id; the rest differs by list. */
export const listSchema = z.object({
  data: z.array(z.looseObject({ id: z.string() })),
  hasMore: z.boolean(),
  /** The cursor of the next page, in lists whose pages may end after items that do not match. */
  continueAfter: z.string().nullish(),
})
