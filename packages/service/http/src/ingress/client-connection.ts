import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Deadline, Deadlines } from "./deadlines.ts"

/** The turn of one request to be answered on its connection. */
export interface Turn<Problem> {
  /** Whether part of the request is still to arrive, and its answer has not started. */
  readonly isReceiving: boolean
  start(): void
  /**
   * Called when the rest of the request will not arrive, or is not HTTP. True: it still answers. False: it never will,
   * so the connection answers with the problem.
   */
  fail(problem: Problem): boolean
  /** Called when nothing is owed any more: the client has read the answer, or has left. */
  settled?(): void
  /** Called when the client has left before its answer was handed to the socket. */
  abandoned?(): void
}

/** The settings that all connections of a server share. */
export interface ConnectionRules<Context, Problem> {
  /** How many requests of a connection are handled at a time. Further ones (pipelining) wait. */
  readonly maxParallel: number
  /** How many requests of a connection may wait. */
  readonly maxWaiting: number
  /** How long a client may go without reading any of an answer. */
  readonly stalls: Deadlines
  /** How long a client may take to read an answer that is in memory. */
  readonly reads: Deadlines
  /** See `EdgeLimits`. */
  readonly lingerMs: number
  /** Builds a complete HTTP response that ends the connection. */
  readonly messageOf: (problem: Problem, context: Context) => Buffer | string
}

/**
 * A client's connection: which answers it is owed, and when to close it. Requests can be pipelined, so the next one may
 * arrive, or turn out not to be a request, while earlier ones are being answered.
 */
export class ClientConnection<Context, Problem> {
  readonly context: Context
  /** Whether it ends after the next answer. */
  isReleased = false
  readonly #socket: Socket
  readonly #rules: ConnectionRules<Context, Problem>
  /** Turns still to be answered, in order. */
  readonly #owed = new Set<Turn<Problem>>()
  /** Those of them that have not started. */
  readonly #waiting: Turn<Problem>[] = []
  /** Turns whose answers have not been read completely. */
  readonly #unread = new Set<Turn<Problem>>()
  /** How many turns have started whose answers have not been handed to the socket. */
  #started = 0
  #latest: Turn<Problem> | null = null
  #previous: Turn<Problem> | null = null
  #stall: Deadline | null = null
  #aborter: AbortController | null = null
  #isClosing = false
  #isRefused = false
  /** Whether the last response was written, and the client is given time to read it. */
  #isLingering = false

  constructor(socket: Socket, context: Context, rules: ConnectionRules<Context, Problem>) {
    this.#socket = socket
    this.context = context
    this.#rules = rules
  }

  /** Whether the client has left. */
  get isGone(): boolean {
    return this.#socket.destroyed
  }

  /** Whether no answer is owed or on its way to the socket. */
  get isIdle(): boolean {
    return this.#started === 0
  }

  /** Aborted when the connection closes. */
  get signal(): AbortSignal {
    this.#aborter ??= new AbortController()
    if (this.isGone) this.#aborter.abort()
    return this.#aborter.signal
  }

  /** Starts a request's turn, immediately or after those before it; ignored when the connection is closing. */
  take(turn: Turn<Problem>): void {
    if (this.#isClosing) return
    const { maxParallel, maxWaiting } = this.#rules
    const isToWait = this.#started >= maxParallel
    // Not refused, because the refusal would be taken for the answer to an earlier request.
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

  /** Whether nothing follows a turn's answer, so that the answer must say so. */
  isLast(turn: Turn<Problem>): boolean {
    const isEnding = this.#isClosing || this.isReleased
    return isEnding && this.#owed.size === 1 && this.#latest === turn
  }

  /** Ends a turn whose whole response is written. The client may not have read it yet. */
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

  /** Waits for the client to read a turn's answer, and disconnects when it reads nothing for too long. */
  watch(turn: Turn<Problem>): void {
    this.#unread.add(turn)
    if (this.#stall === null) this.#expectProgress()
  }

  /** Called when the client has read some of an answer. */
  progress(): void {
    if (this.#stall === null) return
    this.#rules.stalls.cancel(this.#stall)
    this.#expectProgress()
  }

  /**
   * Gives the client only so long to read all of an answer that is in memory, so that one who reads a little now and then
   * does not hold it for hours.
   */
  limitReading(response: ServerResponse): void {
    const { reads } = this.#rules
    const expire = () => {
      // Its turn has not come: an earlier answer is awaited or being read.
      if (response.socket === null) deadline = reads.set(expire)
      else this.#socket.destroy()
    }
    let deadline = reads.set(expire)
    response.once("close", () => reads.cancel(deadline))
  }

  /**
   * Stops reading the connection for a while, so that a client that ignores `Retry-After` costs no more than others.
   */
  rest(rests: Deadlines): void {
    this.#socket.pause()
    rests.set(() => this.#socket.resume())
  }

  /** Accepts no more requests, and closes as soon as nothing is owed. */
  close(): void {
    this.#isClosing = true
    if (this.#started === 0 && !this.#isLingering) this.#socket.destroySoon()
  }

  /** Disconnects: the only way to signal that an answer is incomplete. */
  destroy(): void {
    this.#socket.destroy()
  }

  /** Called when the socket has closed: nothing is owed any more. */
  abandon(): void {
    this.#isClosing = true
    this.#waiting.length = 0
    this.#aborter?.abort()
    for (const turn of this.#owed) turn.abandoned?.()
    for (const turn of this.#unread) this.#settle(turn)
  }

  /**
   * Answers what is not a request, or never became one, and closes. While earlier requests wait for their answers it is
   * not answered at all, because the refusal would be taken for one of those. Nor is a request that was answered before
   * it had arrived completely.
   *
   * @param message the answer to a client that does not speak HTTP/1.1. Default: the problem as an HTTP response
   */
  refuse(problem: Problem, message = this.#rules.messageOf(problem, this.context)): void {
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
    socket.end(message)
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
      // With nothing left to read, the client is not late: an answer is waiting for an earlier one.
      if (this.#socket.writableLength === 0) this.#expectProgress()
      else this.#socket.destroy()
    })
  }
}

/** A request whose head was parsed, and the answer that it is owed. */
export interface ReceivedRequest<Context, Problem> {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly connection: ClientConnection<Context, Problem>
  /** Whether the client waits for permission to send the body (RFC 9110 section 10.1.1). */
  readonly isContinueExpected: boolean
}
