import { Readable } from "node:stream"
import type { Dispatcher } from "undici"

interface Source {
  readonly controller: Dispatcher.DispatchController
  readonly onGone: (error: Error | null) => void
}

/** A destination's answer as it arrives. Reads no faster than its reader. */
export class ReplyBody extends Readable {
  /** Null once all has arrived: it leads to the request and its body. */
  #source: Source | null

  /** @param onGone called when the reader leaves before the end */
  constructor(controller: Dispatcher.DispatchController, onGone: (error: Error | null) => void) {
    super({ highWaterMark: 64 * 1024 })
    this.#source = { controller, onGone }
    // It may break off before anyone listens, or after.
    this.on("error", () => {})
  }

  add(chunk: Buffer): void {
    if (!this.push(chunk)) this.#source?.controller.pause()
  }

  end(): void {
    this.#source = null
    this.push(null)
  }

  override _read(): void {
    this.#source?.controller.resume()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#source?.onGone(error)
    callback(error)
  }
}
