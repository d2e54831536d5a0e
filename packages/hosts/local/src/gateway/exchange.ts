import type { IncomingMessage, ServerResponse } from "node:http"
import type { KnownSender } from "@sealway/http"
import {
  type ClientConnection,
  createHold,
  type MemoryBudget,
  type MemoryHold,
  type ReceivedRequest,
  SMALL_BYTES,
  type Turn,
} from "@sealway/http/ingress"
import {
  CancelledError,
  type MaybePromise,
  processTurns,
  RequestTask,
  type TaskMemory,
} from "@sealway/kernel"
import type { Refusal } from "./problems.ts"
import { type RequestHeaders, readRequestHeaders } from "./request-headers.ts"

/** What a connection of the gateway is known by. */
export interface Caller {
  readonly sourceIp: string
  readonly sender: KnownSender
}

/** A connection of the gateway. */
export type CallerConnection = ClientConnection<Caller, Refusal>

export interface ExchangeOptions {
  readonly memory: MemoryBudget
  /** Handlers find it in `requestContext.requestId`, callers in the header `apigw-requestid`. */
  readonly requestId: string
  /** Called when it is the request's turn. */
  readonly onStart: (exchange: Exchange) => void
}

/** One request, the answer that it is owed, and the memory that both hold. */
export class Exchange implements Turn<Refusal>, TaskMemory {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly connection: CallerConnection
  readonly headers: RequestHeaders
  readonly isContinueExpected: boolean
  readonly requestId: string
  /** What its handler may use. Cancelled when the client leaves. */
  readonly task: RequestTask
  /** True once its answer has started, while the request may still be arriving. */
  isAnswered = false
  /** True once it is answered, or never will be. */
  isOver = false
  readonly #memory: MemoryBudget
  readonly #hold = createHold()
  /** Whether a handler works for it. Until that has ended it holds what it has, whoever has left. */
  #isWorking = false
  /** Whether nothing is owed any more. */
  #isSettled = false
  readonly #onStart: (exchange: Exchange) => void

  constructor(
    { request, response, connection, isContinueExpected }: ReceivedRequest<Caller, Refusal>,
    { memory, requestId, onStart }: ExchangeOptions,
  ) {
    this.request = request
    this.response = response
    this.connection = connection
    this.isContinueExpected = isContinueExpected
    this.headers = readRequestHeaders(request.rawHeaders)
    this.requestId = requestId
    this.#memory = memory
    this.#onStart = onStart
    this.task = new RequestTask({ turns: processTurns, memory: this })
  }

  get isReceiving(): boolean {
    return !this.isAnswered && !this.isOver && !this.request.complete
  }

  start(): void {
    this.#onStart(this)
  }

  fail(): boolean {
    this.isOver = true
    this.settled()
    return false
  }

  settled(): void {
    this.#isSettled = true
    this.release()
  }

  abandoned(): void {
    this.task.cancel(new CancelledError("client"))
  }

  get mostForOne(): number {
    return this.#memory.mostForOne
  }

  reserve(bytes: number, task: RequestTask): MaybePromise<void> {
    return this.#memory.reserve(this.#ownedBy(task), bytes, task)
  }

  take(bytes: number, task: RequestTask): void {
    this.#memory.takeOrRefuse(this.#ownedBy(task), bytes)
  }

  add(bytes: number, task: RequestTask): void {
    this.#memory.add(this.#ownedBy(task), bytes)
  }

  /** Its sender is known once its handler needs memory. */
  #ownedBy({ owner }: RequestTask): MemoryHold {
    if (this.#hold.working === 0) this.#hold.owner = owner
    return this.#hold
  }

  /** Counts more bytes of its body. Returns false when they do not fit. */
  receive(bytes: number): boolean {
    return this.#memory.receive(this.#hold, bytes)
  }

  /** Releases what it holds, unless a handler works for it. */
  release(): void {
    if (!this.#isWorking) this.#memory.release(this.#hold)
  }

  beginWork(): void {
    this.#isWorking = true
  }

  /**
   * Ends the handler's work.
   *
   * @param answerBytes what it holds until the client has read it. 0: nothing
   * @returns false when there is no room for that
   */
  endWork(answerBytes: number): boolean {
    this.#isWorking = false
    const hold = this.#ownedBy(this.task)
    const cut = () => this.connection.destroy()
    const fits = this.#memory.keep(hold, this.#isSettled ? 0 : answerBytes, cut)
    // A small one does when it is next on its connection, because its content, such as a new key, may be shown only once.
    return fits || (answerBytes <= SMALL_BYTES && this.response.socket !== null)
  }

  /** Ends the exchange after its whole response was written. */
  end(): void {
    this.isOver = true
    this.connection.end(this, this.response)
  }
}
