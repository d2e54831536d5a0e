import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/**
 * How long a caller that is refused before it has sent everything may go on sending, in milliseconds. Closing at once
 * would reset the connection, and the reset can overtake the refusal.
 */
export const LINGER_MS = 1000

/** One request's turn to be answered on its connection. */
export interface Turn {
  readonly request: IncomingMessage
  /** True once it is answered, or will not be. */
  isOver: boolean
}

/**
 * A caller's connection: what is owed on it, and when it is to be left. Requests can be pipelined, so that the next one
 * may come, or turn out not to be one, while earlier ones are being answered.
 */
export class Connection {
  /** The peer's address. */
  readonly sourceIp: string
  readonly #socket: Socket
  readonly #stallTimeoutMs: number
  #openTurns = 0
  #latest: Turn | null = null
  #isClosing = false
  #isRefused = false

  /** @param stallTimeoutMs how long the caller may leave a response unread */
  constructor(socket: Socket, sourceIp: string, stallTimeoutMs: number) {
    this.#socket = socket
    this.#stallTimeoutMs = stallTimeoutMs
    this.sourceIp = sourceIp
  }

  /** Gives the next request its turn; null when the connection is being closed and takes no more. */
  begin(request: IncomingMessage): Turn | null {
    if (this.#isClosing) return null
    const turn = { request, isOver: false }
    this.#openTurns += 1
    this.#latest = turn
    return turn
  }

  /** Whether nothing follows a turn's response, so that it is to say so. */
  isLast(turn: Turn): boolean {
    return this.#isClosing && this.#openTurns === 1 && this.#latest === turn
  }

  /** Ends a turn, its response having been handed over. */
  end(turn: Turn, response: ServerResponse): void {
    this.#endTurn(turn)
    if (this.#isClosing && this.#openTurns === 0) response.once("finish", () => this.#socket.destroySoon())
    // A caller that does not read is waited for in vain. With nothing left to write, Node.js counts idle time itself.
    if (this.#socket.writableLength > 0) this.#socket.setTimeout(this.#stallTimeoutMs)
  }

  /** Takes no more requests, and leaves as soon as nothing is owed. */
  close(): void {
    this.#isClosing = true
    if (this.#openTurns === 0 && !this.#isRefused) this.#socket.destroySoon()
  }

  /**
   * Answers what is not a request, or never became one, and leaves. While earlier requests wait for their answers it is
   * not answered at all: the refusal would be taken for one of them.
   *
   * @param message a whole HTTP response
   */
  refuse(message: string): void {
    if (this.#isRefused) return
    this.#isRefused = true
    this.#isClosing = true
    const latest = this.#latest
    if (latest !== null && !latest.isOver && !latest.request.complete) this.#endTurn(latest)
    if (this.#openTurns > 0) return
    const socket = this.#socket
    if (!socket.writable) {
      socket.destroy()
      return
    }
    socket.end(message)
    socket.resume()
    const linger = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once("close", () => clearTimeout(linger))
  }

  #endTurn(turn: Turn): void {
    turn.isOver = true
    this.#openTurns -= 1
  }
}
