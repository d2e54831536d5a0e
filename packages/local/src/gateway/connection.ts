import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Deadline, Deadlines } from "./deadlines.ts"
import type { BytesHolder, Load } from "./load.ts"

/**
 * How long a caller that is refused before it has sent everything may go on sending, in milliseconds. Closing at once
 * would reset the connection, and the reset can overtake the refusal.
 */
export const LINGER_MS = 1000

/** One request's turn to be answered on its connection. */
export interface Turn extends BytesHolder {
  readonly request: IncomingMessage
  /** True once it is answered, or will not be. */
  isOver: boolean
  /** True once its answer has begun, while the request may still be coming in. */
  isAnswered: boolean
}

/** What all connections of a gateway share. */
export interface ConnectionRules {
  readonly load: Load
  /** How long a reader may leave an answer without taking off any of it. */
  readonly stalls: Deadlines
  /** How long a connection is not read after a request on it was refused for too much load. */
  readonly rests: Deadlines
}

/**
 * A caller's connection: what is owed on it, and when it is to be left. Requests can be pipelined, so that the next one
 * may come, or turn out not to be one, while earlier ones are being answered.
 */
export class Connection {
  /** The peer's address. */
  readonly sourceIp: string
  readonly #socket: Socket
  readonly #rules: ConnectionRules
  /** Turns whose answers have not been taken off, or not wholly. */
  readonly #unread = new Set<Turn>()
  #stall: Deadline | null = null
  #openTurns = 0
  #latest: Turn | null = null
  #isClosing = false
  #isRefused = false

  constructor(socket: Socket, sourceIp: string, rules: ConnectionRules) {
    this.#socket = socket
    this.#rules = rules
    this.sourceIp = sourceIp
  }

  /** Whether nobody is there any more to be answered. */
  get isGone(): boolean {
    return this.#socket.destroyed
  }

  /** Gives the next request its turn; null when the connection is being closed and takes no more. */
  begin(request: IncomingMessage): Turn | null {
    if (this.#isClosing) return null
    const turn = { request, isOver: false, isAnswered: false, heldBytes: 0 }
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
    const isTakenOff = response.socket === this.#socket && this.#socket.writableLength === 0
    if (isTakenOff || this.isGone) this.#settle(turn)
    else {
      this.watch(turn)
      response.once("close", () => this.#settle(turn))
    }
  }

  /** Waits for the reader of a turn's answer, and breaks off when none of it is taken off for too long. */
  watch(turn: Turn): void {
    this.#unread.add(turn)
    if (this.#stall === null) this.#expectProgress()
  }

  /** The reader has taken off some of an answer. */
  progress(): void {
    if (this.#stall === null) return
    this.#rules.stalls.cancel(this.#stall)
    this.#expectProgress()
  }

  /** Leaves the connection unread for a while: a caller that does not heed Retry-After costs no more than others. */
  rest(): void {
    this.#socket.pause()
    this.#rules.rests.set(() => this.#socket.resume())
  }

  /** The socket has closed: nothing is owed any more. */
  abandon(): void {
    for (const turn of this.#unread) this.#settle(turn)
  }

  /** Takes no more requests, and leaves as soon as nothing is owed. */
  close(): void {
    this.#isClosing = true
    if (this.#openTurns === 0 && !this.#isRefused) this.#socket.destroySoon()
  }

  /**
   * Answers what is not a request, or never became one, and leaves. While earlier requests wait for their answers it is
   * not answered at all: the refusal would be taken for one of them. Nor is what was answered before it had come wholly.
   *
   * @param message a whole HTTP response
   */
  refuse(message: string): void {
    if (this.#isRefused) return
    this.#isRefused = true
    this.#isClosing = true
    const latest = this.#latest
    if (latest !== null && !latest.isOver && !latest.isAnswered && !latest.request.complete) {
      this.#endTurn(latest)
      this.#rules.load.release(latest)
    }
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

  #settle(turn: Turn): void {
    this.#rules.load.release(turn)
    if (!this.#unread.delete(turn)) return
    if (this.#unread.size > 0) this.progress()
    else if (this.#stall !== null) {
      this.#rules.stalls.cancel(this.#stall)
      this.#stall = null
    }
  }

  #expectProgress(): void {
    this.#stall = this.#rules.stalls.set(() => {
      // With nothing left to take off it is not the reader who is late: an answer waits for an earlier one.
      if (this.#socket.writableLength === 0) this.#expectProgress()
      else this.#socket.destroy()
    })
  }
}
