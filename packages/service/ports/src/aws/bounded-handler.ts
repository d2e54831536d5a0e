import type { Readable } from "node:stream"
import { NodeHttpHandler, type NodeHttpHandlerOptions } from "@smithy/node-http-handler"

/**
 * Sends requests as the SDK does. The SDK's timeouts end with the head of an answer: here the rest is limited too, in all.
 * For answers that are read at once, not for streams.
 */
export class BoundedHandler extends NodeHttpHandler {
  readonly #restTimeoutMs: number

  /** @param restTimeoutMs how long the rest may take. Default: as long again as the head */
  constructor(
    options: NodeHttpHandlerOptions & { readonly requestTimeout: number },
    restTimeoutMs = options.requestTimeout,
  ) {
    super(options)
    this.#restTimeoutMs = restTimeoutMs
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
