import type { Writable } from "node:stream"
import { finished, pipeline } from "node:stream/promises"
import { eachHeader } from "@sealway/kernel"
import type { Log } from "@sealway/ports"
import { RelayError } from "@sealway/relay-engine"
import { behindCloudFront } from "../edge/behind-cloudfront.ts"
import type { OutboundReply, RelayHandler } from "../exchange.ts"
import { createRequestIds } from "../server/request-id.ts"
import { inboundRequestOf, parseFunctionUrlEvent } from "./function-url-event.ts"
import type { LambdaStreaming, ReplyHead, StreamingHandler } from "./lambda-streaming.ts"

/** Lambda frames answers itself. */
const FRAMING = new Set(["connection", "keep-alive", "transfer-encoding", "trailer", "upgrade"])

/**
 * Builds the head of an answer for Lambda: a map, so equal headers are joined by a comma (RFC 9110, section 5.3),
 * except `Set-Cookie`, which cannot be.
 */
function replyHeadOf({ status, rawHeaders, body }: OutboundReply): ReplyHead {
  const headers = new Map<string, string>()
  const cookies: string[] = []
  eachHeader(rawHeaders, (spelled, value) => {
    const name = spelled.toLowerCase()
    if (FRAMING.has(name)) return
    if (name === "set-cookie") {
      cookies.push(value)
      return
    }
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  })
  // A destination's own length may be that of a different body by now.
  if (Buffer.isBuffer(body)) headers.set("content-length", String(body.length))
  return { statusCode: status, headers: Object.fromEntries(headers), cookies }
}

export interface RelayFunctionOptions {
  readonly handler: RelayHandler
  /** See `behindCloudFront`. */
  readonly originSecret: string
  readonly streaming: LambdaStreaming
  /** The maximum body size of a request, in bytes. */
  readonly maxBodyBytes: number
  /** Waits for background work: a function does not run between calls. */
  readonly settle: () => Promise<void>
  readonly log: Pick<Log, "warn">
}

/**
 * Creates the handler of the Lambda function that serves relays behind CloudFront, through a streaming function URL. An
 * answer is sent before its body has arrived; if it breaks off, the invocation ends with an error, so that the caller's
 * answer breaks off too, instead of looking complete. Trailers are not sent: a function URL has none.
 */
export function createRelayFunction(options: RelayFunctionOptions): StreamingHandler {
  const { streaming, maxBodyBytes, settle, log } = options
  const handler = behindCloudFront(options.handler, options.originSecret)
  const nextId = createRequestIds()

  async function answer(event: unknown, signal: AbortSignal): Promise<OutboundReply> {
    const request = inboundRequestOf(parseFunctionUrlEvent(event), { id: nextId(), signal })
    if ((request.contentLength ?? 0) > maxBodyBytes) {
      const refusal = new RelayError("payload-too-large", `The body is larger than ${maxBodyBytes} bytes.`)
      return handler({ ...request, body: null, contentLength: null, refusal })
    }
    return handler(request)
  }

  return streaming.streamifyResponse(async (event, output) => {
    const callerGone = new AbortController()
    output.once("close", () => callerGone.abort())
    try {
      const reply = await answer(event, callerGone.signal)
      await send(reply, output, streaming).finally(reply.release)
    } finally {
      await settle().catch((error) => log.warn("work after a response failed", { error }))
    }
  })
}

async function send(
  reply: OutboundReply,
  output: Writable,
  { HttpResponseStream }: LambdaStreaming,
): Promise<void> {
  const stream = HttpResponseStream.from(output, replyHeadOf(reply))
  // The first write of any size sends the head.
  stream.write("")
  const { body } = reply
  if (body !== null && !Buffer.isBuffer(body)) {
    await pipeline(body, stream)
    return
  }
  stream.end(body ?? undefined)
  await finished(stream, { readable: false })
}
