import type { Socket } from "node:net"
import type { RelayError } from "@sealway/relay-engine"
import type { RelayLimits } from "../limits.ts"
import type { ConnectionContext } from "./connection-context.ts"
import { problemMessage } from "./problem-reply.ts"

/** One request's turn on a connection. */
export interface Turn {
  /** False once all of the request has come. */
  readonly isReceiving: boolean
  start(): void
  /** Ends a request that is not received to its end. */
  fail(error: RelayError): void
}

/**
 * A client's connection. Requests on it are answered one after the other: a client that sends many at once (pipelining)
 * gets no more of the relay at a time than any other.
 */
export class ClientConnection {
  readonly context: ConnectionContext
  readonly #socket: Socket
  readonly #limits: RelayLimits
  readonly #aborter = new AbortController()
  readonly #waiting: Turn[] = []
  #current: Turn | null = null
  #isClosing = false
  #isRefused = false

  constructor(socket: Socket, context: ConnectionContext, limits: RelayLimits) {
    this.#socket = socket
    this.context = context
    this.#limits = limits
  }

  /** Aborted when the connection closes. */
  get signal(): AbortSignal {
    return this.#aborter.signal
  }

  /** Whether nothing follows the answer to the current request, so that it is to say so. */
  get isLast(): boolean {
    return this.#isClosing && this.#waiting.length === 0
  }

  /** Whether no request waits for its answer. */
  get isIdle(): boolean {
    return this.#current === null
  }

  /** Gives a request its turn, at once or when those before it are answered. */
  take(turn: Turn): void {
    if (this.#isClosing) return
    if (this.#current === null) {
      this.#current = turn
      turn.start()
    } else if (this.#waiting.length < this.#limits.maxPipelined) this.#waiting.push(turn)
    // No refusal: it would be taken for the answer to an earlier request.
    else this.#socket.destroy()
  }

  /** Ends the current turn, its answer having been handed to the socket. */
  finish(): void {
    this.#current = this.#waiting.shift() ?? null
    if (this.#current !== null) this.#current.start()
    else if (this.#isClosing) this.#socket.destroySoon()
  }

  /** A client that does not read is waited for in vain. With nothing left to write, Node.js counts idle time itself. */
  watchUnread(): void {
    if (this.#socket.writableLength > 0) this.#socket.setTimeout(this.#limits.stallTimeoutMs)
  }

  /** Takes no more requests, and leaves as soon as nothing is owed. */
  close(): void {
    this.#isClosing = true
    if (this.#current === null && !this.#isRefused) this.#socket.destroySoon()
  }

  /** The socket has closed. */
  abandon(): void {
    this.#isClosing = true
    this.#waiting.length = 0
    this.#aborter.abort()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /**
   * Answers what is not a request, or never became one, and leaves. While earlier requests wait for their answers it is
   * not answered at all: the refusal would be taken for one of them.
   */
  refuse(error: RelayError): void {
    if (this.#isRefused) return
    this.#isRefused = true
    this.#isClosing = true
    const latest = this.#waiting.at(-1) ?? this.#current
    if (latest?.isReceiving) {
      if (latest === this.#current) {
        latest.fail(error)
        return
      }
      this.#waiting.pop()
    }
    if (this.#current !== null) return
    const socket = this.#socket
    if (!socket.writable) {
      socket.destroy()
      return
    }
    socket.end(problemMessage(error.code, error.message, this.context))
    socket.resume()
    const linger = setTimeout(() => socket.destroy(), this.#limits.lingerMs)
    socket.once("close", () => clearTimeout(linger))
  }
}
