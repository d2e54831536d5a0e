import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Deadline, Deadlines } from "./deadlines.ts"

/** One request's turn to be answered on its connection. */
export interface Turn<Problem> {
  /** Whether some of the request is still to come, and its answer has not begun. */
  readonly isReceiving: boolean
  start(): void
  /**
   * Told that what is left of the request does not come, or not as HTTP. True: it answers all the same. False: it never
   * will, so that the connection answers with the problem.
   */
  fail(problem: Problem): boolean
  /** Told that nothing is owed any more: its client has taken off the answer, or has left. */
  settled?(): void
}

/** What all connections of a server share. */
export interface ConnectionRules<Context, Problem> {
  /** Requests of a connection that are handled at a time. Further ones (pipelining) wait for their turn. */
  readonly maxParallel: number
  /** Requests of a connection that may wait for their turn. */
  readonly maxWaiting: number
  /** How long a client may leave an answer without taking off any of it. */
  readonly stalls: Deadlines
  /** See `EdgeLimits`. */
  readonly lingerMs: number
  /** A whole HTTP response, which ends the connection. */
  readonly messageOf: (problem: Problem, context: Context) => Buffer | string
}

/**
 * A client's connection: what is owed on it, and when it is to be left. Requests can be pipelined, so that the next one
 * may come, or turn out not to be one, while earlier ones are being answered.
 */
export class ClientConnection<Context, Problem> {
  readonly context: Context
  readonly #socket: Socket
  readonly #rules: ConnectionRules<Context, Problem>
  /** Turns that are to be answered, in their order. */
  readonly #owed = new Set<Turn<Problem>>()
  /** Those of them that have not started. */
  readonly #waiting: Turn<Problem>[] = []
  /** Turns whose answers have not been taken off, or not wholly. */
  readonly #unread = new Set<Turn<Problem>>()
  /** Turns that have started, and whose answers have not been handed to the socket. */
  #started = 0
  #latest: Turn<Problem> | null = null
  #previous: Turn<Problem> | null = null
  #stall: Deadline | null = null
  #aborter: AbortController | null = null
  #isClosing = false
  #isRefused = false
  /** Whether the last word has been said, and is given time to be read. */
  #isLingering = false

  constructor(socket: Socket, context: Context, rules: ConnectionRules<Context, Problem>) {
    this.#socket = socket
    this.context = context
    this.#rules = rules
  }

  /** Whether nobody is there any more to be answered. */
  get isGone(): boolean {
    return this.#socket.destroyed
  }

  /** Whether no answer is owed, or on its way to the socket. */
  get isIdle(): boolean {
    return this.#started === 0
  }

  /** Aborted when the connection closes. */
  get signal(): AbortSignal {
    this.#aborter ??= new AbortController()
    if (this.isGone) this.#aborter.abort()
    return this.#aborter.signal
  }

  /** Gives a request its turn, at once or when those before it are answered; not when the connection is being left. */
  take(turn: Turn<Problem>): void {
    if (this.#isClosing) return
    const { maxParallel, maxWaiting } = this.#rules
    const isToWait = this.#started >= maxParallel
    // No refusal: it would be taken for the answer to an earlier request.
    if (isToWait && this.#waiting.length >= maxWaiting) {
      this.#socket.destroy()
      return
    }
    this.#previous = this.#latest
    this.#latest = turn
    this.#owed.add(turn)
    if (isToWait) this.#waiting.push(turn)
    else this.#start(turn)
  }

  /** Whether nothing follows a turn's answer, so that it is to say so. */
  isLast(turn: Turn<Problem>): boolean {
    return this.#isClosing && this.#owed.size === 1 && this.#latest === turn
  }

  /** Ends a turn, its whole response having been written. Its client may not have read it yet. */
  end(turn: Turn<Problem>, response: ServerResponse): void {
    this.#owed.delete(turn)
    response.once("finish", () => this.#finish())
    const isTakenOff = response.socket === this.#socket && this.#socket.writableLength === 0
    if (isTakenOff || this.isGone) this.#settle(turn)
    else {
      this.watch(turn)
      response.once("close", () => this.#settle(turn))
    }
  }

  /** Waits for the client to read a turn's answer, and breaks off when none of it is taken off for too long. */
  watch(turn: Turn<Problem>): void {
    this.#unread.add(turn)
    if (this.#stall === null) this.#expectProgress()
  }

  /** The client has taken off some of an answer. */
  progress(): void {
    if (this.#stall === null) return
    this.#rules.stalls.cancel(this.#stall)
    this.#expectProgress()
  }

  /** Leaves the connection unread for a while: a client that does not heed `Retry-After` costs no more than others. */
  rest(rests: Deadlines): void {
    this.#socket.pause()
    rests.set(() => this.#socket.resume())
  }

  /** Takes no more requests, and leaves as soon as nothing is owed. */
  close(): void {
    this.#isClosing = true
    if (this.#started === 0 && !this.#isLingering) this.#socket.destroySoon()
  }

  /** The only way to say that an answer is not whole. */
  destroy(): void {
    this.#socket.destroy()
  }

  /** The socket has closed: nothing is owed any more. */
  abandon(): void {
    this.#isClosing = true
    this.#waiting.length = 0
    this.#aborter?.abort()
    for (const turn of this.#unread) this.#settle(turn)
  }

  /**
   * Answers what is not a request, or never became one, and leaves. While earlier requests wait for their answers it is
   * not answered at all: the refusal would be taken for one of them. Nor is what was answered before it had come wholly.
   */
  refuse(problem: Problem): void {
    if (this.#isRefused) return
    this.#isRefused = true
    this.#isClosing = true
    const latest = this.#latest
    if (latest !== null && this.#owed.has(latest) && latest.isReceiving) {
      if (this.#waiting.at(-1) === latest) this.#waiting.pop()
      else if (latest.fail(problem)) return
      this.#owed.delete(latest)
      this.#latest = this.#previous
    }
    if (this.#owed.size > 0) return
    this.#isLingering = true
    const socket = this.#socket
    if (!socket.writable) {
      socket.destroy()
      return
    }
    socket.end(this.#rules.messageOf(problem, this.context))
    socket.resume()
    const linger = setTimeout(() => socket.destroy(), this.#rules.lingerMs)
    socket.once("close", () => clearTimeout(linger))
  }

  #start(turn: Turn<Problem>): void {
    this.#started += 1
    turn.start()
  }

  #finish(): void {
    this.#started -= 1
    const next = this.#waiting.shift()
    if (next !== undefined) this.#start(next)
    else if (this.#isClosing && this.#started === 0 && !this.#isLingering) this.#socket.destroySoon()
  }

  #settle(turn: Turn<Problem>): void {
    turn.settled?.()
    if (!this.#unread.delete(turn)) return
    if (this.#unread.size > 0) this.progress()
    else if (this.#stall !== null) {
      this.#rules.stalls.cancel(this.#stall)
      this.#stall = null
    }
  }

  #expectProgress(): void {
    this.#stall = this.#rules.stalls.set(() => {
      // With nothing left to take off it is not the client who is late: an answer waits for an earlier one.
      if (this.#socket.writableLength === 0) this.#expectProgress()
      else this.#socket.destroy()
    })
  }
}

/** A request that an HTTP parser has read the head of, and the answer that it is owed. */
export interface ReceivedRequest<Context, Problem> {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly connection: ClientConnection<Context, Problem>
  /** Whether the client waits for leave to send the body (RFC 9110 section 10.1.1). */
  readonly isContinueExpected: boolean
}
