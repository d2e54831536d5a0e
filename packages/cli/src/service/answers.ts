import { MB } from "@sealway/kernel"
import * as z from "zod"
import { UnavailableFailure } from "../terminal/failures.ts"
import { readBounded } from "../terminal/read-bounded.ts"

const MAX_ANSWER_BYTES = 64 * MB

/** An answer of JSON: as it came, and what a schema makes of it. */
export interface ParsedAnswer<Value> {
  readonly text: string
  readonly value: Value
}

/** @throws UnavailableFailure when it is not the answer that this release knows */
export async function readAnswer<Value>(
  response: Response,
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

/** All of an answer's body. @throws UnavailableFailure when it breaks off or does not end */
export async function readAnswerText({ body }: Response): Promise<string> {
  let bytes: Buffer | null
  try {
    bytes = await readBounded(body, MAX_ANSWER_BYTES)
  } catch (error) {
    throw new UnavailableFailure("The connection to the service broke off.", { cause: error })
  }
  if (bytes === null) throw unknownAnswer()
  return bytes.toString()
}

function unknownAnswer(cause?: unknown): UnavailableFailure {
  return new UnavailableFailure(
    "The service answers in a way that this release of the command line does not know.",
    {
      cause,
    },
  )
}

/** A page of a list. What is listed has an id; the rest is its own. */
export const listSchema = z.object({
  data: z.array(z.looseObject({ id: z.string() })),
  hasMore: z.boolean(),
  /** Where the next page begins, in lists whose pages need not end with the last thing that was looked at. */
  continueAfter: z.string().nullish(),
})
