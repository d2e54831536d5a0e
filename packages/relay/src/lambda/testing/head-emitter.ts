import type { Writable } from "node:stream"
import type { LambdaStreaming, ReplyHead } from "../lambda-streaming.ts"

/** Lambda's runtime, as far as streams go: an answer's head is told by the event `head` of what it is written to. */
export const HEAD_EMITTER: LambdaStreaming = {
  streamifyResponse: (handler) => handler,
  HttpResponseStream: {
    from(output: Writable, head: ReplyHead) {
      output.emit("head", head)
      return output
    },
  },
}
