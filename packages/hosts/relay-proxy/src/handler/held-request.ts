import type { UpstreamRequest } from "../exchange.ts"
import { HeldBody } from "../held-body.ts"
import type { Exchange } from "./exchange.ts"

/**
 * Counts the body of a request for as long as anybody has it: the exchange, until it has an answer for the client, and the
 * upstream, until it has released the request.
 */
export class HeldRequest {
  readonly #memory: Exchange["memory"]
  /** A small body as it was received. Who has the request has it too. */
  readonly #received: Buffer | null
  #holders = 1

  constructor({ request, memory }: Pick<Exchange, "request" | "memory">) {
    this.#memory = memory
    this.#received = Buffer.isBuffer(request.body) ? request.body : null
  }

  /**
   * Counts the body that is sent, and no longer what changing it took. If it is larger than `maxBufferedBytes`, it is let go
   * of when it is sent.
   *
   * @throws RelayError `service-unavailable` when there is no room for it
   */
  keep(body: UpstreamRequest["body"], maxBufferedBytes: number): UpstreamRequest["body"] {
    if (!Buffer.isBuffer(body)) return body
    const received = this.#received?.length ?? 0
    const isChanged = body !== this.#received
    this.#memory.keep(received + (isChanged ? body.length : 0))
    if (!isChanged || body.length <= maxBufferedBytes) return body
    return new HeldBody(body, () => this.#memory.keep(received))
  }

  /** Returns what another holder calls, once, when it has nothing of the request any more. */
  join(): () => void {
    this.#holders += 1
    return () => this.leave()
  }

  leave(): void {
    this.#holders -= 1
    if (this.#holders === 0) this.#memory.release()
  }
}
