import { API_ERROR_CODES } from "@sealway/kernel"
import * as z from "zod"
import { CALL_TIMEOUT_MS, type CallDependencies } from "./agent-options.ts"
import { AgentProblem, agentProblem } from "./agent-problem.ts"

/** More than the API answers with: 4 MB of data, encrypted. */
const MAX_ANSWER_BYTES = 8 * 1_048_576

const problemSchema = z.object({
  code: z.enum(API_ERROR_CODES),
  title: z.string(),
  detail: z.string(),
  status: z.int().min(400).max(599),
  fields: z.array(z.object({ pointer: z.string(), reason: z.string() })).optional(),
})

/**
 * Calls the API, which must answer with JSON.
 *
 * @throws AgentProblem when it refuses, with its problem, or does not answer
 */
export async function callService(
  { fetch }: CallDependencies,
  url: string,
  request: {
    readonly method: string
    readonly headers?: Record<string, string>
    readonly body?: Uint8Array<ArrayBuffer>
  },
): Promise<{ readonly json: unknown; readonly headers: Headers }> {
  const { status, headers, text } = await answerOf(fetch, url, request)
  const json = parseJson(text)
  if (status === 200 && json !== undefined) return { json, headers }
  const problem = problemSchema.safeParse(json)
  if (!problem.success || problem.data.status !== status) throw unavailable()
  const { code, title, detail, fields } = problem.data
  throw new AgentProblem({ code, title, detail, status, ...(fields && { fields }) })
}

async function answerOf(
  fetch: CallDependencies["fetch"],
  url: string,
  request: RequestInit,
): Promise<{ status: number; headers: Headers; text: string }> {
  try {
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS)
    const answer = await fetch(url, { ...request, redirect: "error", signal })
    return { status: answer.status, headers: answer.headers, text: await readText(answer) }
  } catch (cause) {
    if (cause instanceof AgentProblem) throw cause
    throw unavailable({ cause })
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) throw unavailable()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unavailable(options?: ErrorOptions): AgentProblem {
  return agentProblem(
    "service-unavailable",
    "The service cannot be reached from the enclave, or does not answer.",
    options,
  )
}
