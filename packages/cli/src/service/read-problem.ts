import { MB } from "@sealway/kernel"
import * as z from "zod"
import type { Problem } from "../terminal/failures.ts"
import { readBounded } from "../terminal/read-bounded.ts"
import type { HttpAnswer } from "../terminal/send-request.ts"

const MAX_PROBLEM_BYTES = MB

const problemSchema = z.object({
  code: z.string(),
  title: z.string().catch(""),
  detail: z.string(),
  fields: z.array(z.object({ pointer: z.string(), reason: z.string() })).optional(),
})

/**
 * Parses the body of a refusal. A gateway in front of the service may answer in another format; then only the status
 * counts.
 */
export async function readProblem(response: HttpAnswer): Promise<Problem> {
  const { status } = response
  const parsed = problemSchema.safeParse(parseJson(await readText(response)))
  if (!parsed.success) {
    return { code: "unknown", title: "", detail: `The service responded with status ${status}.`, status }
  }
  const { fields, ...problem } = parsed.data
  return { ...problem, status, ...(fields !== undefined && { fields }) }
}

async function readText(response: HttpAnswer): Promise<string> {
  try {
    return (await readBounded(response.body, MAX_PROBLEM_BYTES))?.toString() ?? ""
  } catch {
    return ""
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
