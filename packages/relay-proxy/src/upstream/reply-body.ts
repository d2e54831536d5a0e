import { Readable } from "node:stream"
import type { Dispatcher } from "undici"

/** A destination's answer as it arrives. Reads no faster than its reader. */
export class ReplyBody extends Readable {
  readonly #controller: Dispatcher.DispatchController
  readonly #onGone: (error: Error | null) => void
  #isWhole = false

  /** @param onGone called when the reader leaves before the end */
  constructor(controller: Dispatcher.DispatchController, onGone: (error: Error | null) => void) {
    super({ highWaterMark: 64 * 1024 })
    this.#controller = controller
    this.#onGone = onGone
    // It may break off before anyone listens, or after.
    this.on("error", () => {})
  }

  add(chunk: Buffer): void {
    if (!this.push(chunk)) this.#controller.pause()
  }

  end(): void {
    this.#isWhole = true
    this.push(null)
  }

  override _read(): void {
    this.#controller.resume()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (!this.#isWhole) this.#onGone(error)
    callback(error)
  }
}
