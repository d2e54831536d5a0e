import { once } from "node:events"
import { connect, type Socket } from "node:net"

export interface RawResponse {
  readonly statusCode: number
  /** Lower-case name to values. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: string
}

/**
 * A caller that sends exactly the given bytes, and reads responses as they arrive, without a client library in between.
 */
export class RawClient {
  readonly #socket: Socket
  #received = Buffer.alloc(0)
  #wake: () => void = () => undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on("data", (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#wake()
    })
    socket.on("close", () => this.#wake())
    // A reset ends the connection like any other close.
    socket.on("error", () => undefined)
  }

  static async connect(port: number): Promise<RawClient> {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    await once(socket, "connect")
    return new RawClient(socket)
  }

  send(bytes: string | Uint8Array): this {
    this.#socket.write(bytes)
    return this
  }

  /** Signals that nothing more will be sent. */
  finish(): void {
    this.#socket.end()
  }

  hangUp(): void {
    this.#socket.destroy()
  }

  /** Stops reading, so that the other side's writes pile up. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Reads one chunk, and then no more. */
  sip(): void {
    this.#socket.once("data", () => this.#socket.pause()).resume()
  }

  /** Returns the next response; null when the connection closes without one. */
  async response({ toHead = false } = {}): Promise<RawResponse | null> {
    for (;;) {
      const response = this.#takeResponse(toHead)
      if (response !== null) return response
      if (this.#socket.closed || this.#socket.readableEnded) return null
      await this.#somethingHappens()
    }
  }

  /** Resolves when the other side has closed the connection. */
  async closed(): Promise<void> {
    while (!this.#socket.closed && !this.#socket.readableEnded) await this.#somethingHappens()
    this.#socket.destroy()
  }

  #somethingHappens(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      this.#socket.once("end", resolve)
    })
  }

  #takeResponse(toHead: boolean): RawResponse | null {
    const headEnd = this.#received.indexOf("\r\n\r\n")
    if (headEnd === -1) return null
    const [statusLine = "", ...lines] = this.#received.toString("latin1", 0, headEnd).split("\r\n")
    const headers = new Map<string, string[]>()
    for (const line of lines) {
      const colon = line.indexOf(":")
      const name = line.slice(0, colon).toLowerCase()
      headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()])
    }
    const statusCode = Number(statusLine.split(" ")[1])
    const isBodyless = toHead || statusCode < 200 || statusCode === 204 || statusCode === 304
    const length = isBodyless ? 0 : Number(headers.get("content-length")?.[0] ?? 0)
    const bodyStart = headEnd + 4
    if (this.#received.length < bodyStart + length) return null
    const body = this.#received.toString("utf8", bodyStart, bodyStart + length)
    this.#received = this.#received.subarray(bodyStart + length)
    return { statusCode, headers, body }
  }
}
