import { once } from "node:events"
import { PassThrough, type Writable } from "node:stream"
import { text } from "node:stream/consumers"
import type { Platform } from "@sealway/http"
import * as z from "zod"
import { RELAY_LIMITS } from "../../limits.ts"
import { createRelayServing, type RelayServingOptions } from "../../serving.ts"
import type { LambdaStreaming, ReplyHead } from "../lambda-streaming.ts"
import { createRelayFunction } from "../relay-function.ts"

/** Imitates Lambda's streams: the event `head` of the output reports an answer's head. */
const HEAD_EMITTER: LambdaStreaming = {
  streamifyResponse: (handler) => handler,
  HttpResponseStream: {
    from(output: Writable, head: ReplyHead) {
      output.emit("head", head)
      return output
    },
  },
}

const headSchema = z.looseObject({ statusCode: z.int() })

export interface StartFunctionOptions extends Pick<RelayServingOptions, "trust"> {
  readonly originSecret: string
}

/** Starts one environment of the function that serves relays. */
export function startFunction(platform: Platform, { originSecret, ...options }: StartFunctionOptions) {
  const { handler, settle, close } = createRelayServing(platform, options)
  const invoke = createRelayFunction({
    handler,
    originSecret,
    streaming: HEAD_EMITTER,
    maxBodyBytes: RELAY_LIMITS.maxBodyBytes,
    settle,
    log: platform.log,
  })
  return {
    /** @param event an event of a function URL */
    async ask(event: object) {
      const output = new PassThrough()
      const head = once(output, "head")
      const body = text(output)
      await invoke({ ...FUNCTION_URL, ...event }, output, {})
      return { head: headSchema.parse((await head)[0]), body: await body }
    },
    close,
  }
}

const FUNCTION_URL = {
  version: "2.0",
  rawPath: "/",
  rawQueryString: "",
  requestContext: {
    domainName: "x.lambda-url.us-east-1.on.aws",
    http: { method: "POST", sourceIp: "192.0.2.1" },
  },
  isBase64Encoded: false,
}
