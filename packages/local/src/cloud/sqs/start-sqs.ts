import { MB } from "@sealway/kernel"
import { admitSignedRequestsOnly } from "../admit-signed-requests.ts"
import { createAwsJsonServer, errorReply, type Reply } from "../aws-json-server.ts"
import { closeServer, listenOnLoopback, type RunningService } from "../loopback-server.ts"
import type { VerifySignature } from "../verify-signature.ts"
import { SQS_OPERATIONS, type SqsContext } from "./operations.ts"
import { Queues } from "./queues.ts"
import { SqsError } from "./sqs-error.ts"

/** Ten messages that together have the longest size, with each character escaped in JSON. */
const MAX_BODY_BYTES = 8 * MB

/** Starts the embedded SQS, entirely in memory. */
export async function startSqs(verify: VerifySignature): Promise<RunningService> {
  const queues = new Queues(Date.now)
  const closing = new AbortController()
  let endpoint = ""
  const server = createAwsJsonServer({
    name: "SQS",
    contentType: "application/x-amz-json-1.0",
    maxBodyBytes: MAX_BODY_BYTES,
    answer: (target, body, gone) =>
      answer(target, body, { queues, endpoint, signal: AbortSignal.any([gone, closing.signal]) }),
    failure: errorReply(500, "InternalFailure", "The embedded SQS failed."),
  })
  admitSignedRequestsOnly(server, verify)
  endpoint = await listenOnLoopback(server)
  return {
    endpoint,
    async close() {
      closing.abort()
      await closeServer(server)
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
