import type { Readable } from "node:stream"
import { NodeHttpHandler, type NodeHttpHandlerOptions } from "@smithy/node-http-handler"

/**
 * Sends requests as the SDK does. The SDK's timeouts end with the head of an answer: here the rest may take as long again,
 * in all. For short answers, not for streams.
 */
export class BoundedHandler extends NodeHttpHandler {
  readonly #restTimeoutMs: number

  constructor(options: NodeHttpHandlerOptions & { readonly requestTimeout: number }) {
    super(options)
    this.#restTimeoutMs = options.requestTimeout
  }

  override async handle(...call: Parameters<NodeHttpHandler["handle"]>) {
    const answered = await super.handle(...call)
    const body: Readable = answered.response.body
    const late = () => body.destroy(Object.assign(new Error("The rest of an answer is late."), LATE))
    const timer = setTimeout(late, this.#restTimeoutMs)
    body.once("close", () => clearTimeout(timer))
    return answered
  }
}

/** Named as the SDK names what it repeats for being late. */
const LATE = { name: "TimeoutError" }
