import { MB } from "@sealway/kernel"
import { errorReply, type Reply, type RunningJsonService, serveAwsJson } from "../aws-json-server.ts"
import type { VerifySignature } from "../verify-signature.ts"
import { SQS_OPERATIONS, type SqsContext } from "./operations.ts"
import { Queues } from "./queues.ts"
import { SqsError } from "./sqs-error.ts"

/** Ten messages that together have the longest size, with each character escaped in JSON. */
const MAX_BODY_BYTES = 8 * MB

/** Starts the embedded SQS, entirely in memory. */
export async function startSqs(verify: VerifySignature): Promise<RunningJsonService> {
  const queues = new Queues(Date.now)
  const closing = new AbortController()
  let endpoint = ""
  const running = await serveAwsJson(
    {
      name: "SQS",
      contentType: "application/x-amz-json-1.0",
      maxBodyBytes: MAX_BODY_BYTES,
      answer: (target, body, gone) =>
        answer(target, body, { queues, endpoint, signal: AbortSignal.any([gone, closing.signal]) }),
      failure: errorReply(500, "InternalFailure", "The embedded SQS failed."),
    },
    verify,
  )
  endpoint = running.endpoint
  return {
    ...running,
    async close() {
      closing.abort()
      await running.close()
      queues.close()
    },
  }
}

async function answer(target: string, body: string, context: SqsContext): Promise<Reply | null> {
  const operation = SQS_OPERATIONS.get(target)
  if (operation === undefined) return null
  try {
    const result = await operation(parseJson(body), context)
    return { status: 200, body: JSON.stringify(result ?? {}) }
  } catch (error) {
    if (error instanceof SqsError) return errorReply(400, error.type, error.message)
    throw error
  }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    // The parser's own message quotes the body.
    throw new SqsError("SerializationException", "The body is not JSON.")
  }
}
