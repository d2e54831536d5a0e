import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { joinChunks } from "@sealway/kernel"
import { RelayError } from "@sealway/relay-engine"

export interface RequestBodyOptions {
  readonly maxBytes: number
  /** Called when somebody starts reading. */
  readonly onRead: () => void
}

/**
 * A request's body as it arrives. It separates the message from the reader, so that a reader who stops does not close
 * the client's connection: an answer must be sent on it.
 *
 * It breaks off with a RelayError, which is the answer to the request: `payload-too-large` beyond `maxBytes`, and the
 * error that it was failed with.
 */
export class RequestBody extends Readable {
  readonly #request: IncomingMessage
  readonly #options: RequestBodyOptions
  readonly #add = (chunk: Buffer) => this.#take(chunk)
  readonly #end = () => this.push(null)
  #isRead = false
  #bytes = 0

  constructor(request: IncomingMessage, options: RequestBodyOptions) {
    super({ highWaterMark: 64 * 1024 })
    this.#request = request
    this.#options = options
    // It may break off before anyone listens, or after.
    this.on("error", () => {})
  }

  override _read(): void {
    if (!this.#isRead) {
      this.#isRead = true
      this.#options.onRead()
      this.#request.on("data", this.#add)
      this.#request.on("end", this.#end)
    }
    this.#request.resume()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#request.off("data", this.#add)
    this.#request.off("end", this.#end)
    if (!this.#request.complete) this.#request.pause()
    callback(error)
  }

  #take(chunk: Buffer): void {
    this.#bytes += chunk.length
    const { maxBytes } = this.#options
    if (this.#bytes > maxBytes) {
      this.destroy(
        new RelayError("payload-too-large", `The chunked request body is larger than ${maxBytes} bytes.`),
      )
    } else if (!this.push(chunk)) this.#request.pause()
  }
}

/**
 * Collects a body of known, small size and calls back when it is complete. Never calls back when the client disconnects
 * before.
 */
export function collectBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  let chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const body = joinChunks(chunks)
    // The listeners stay until the answer has ended.
    chunks = []
    done(body)
  })
}
