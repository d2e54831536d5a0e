import { andThen, type MaybePromise } from "./maybe-promise.ts"
import type { Cancellation, Turns } from "./turns.ts"
import type { Work } from "./work.ts"

/** What one request may use of its process: turns, which end with the request, and memory. */
export interface Task extends Turns, Cancellation {
  /** Aborted with `cancelled` as its reason. For outgoing calls and waits. */
  readonly signal: AbortSignal
  /**
   * Reserves the memory that a request's work and its answer will take; resolves once there is room. Call it once, with
   * everything, and before anything of it is made: a request that waits then holds only its body, so two requests can
   * never wait for each other. A later call for more is refused if there is no room at that moment.
   *
   * @throws PayloadTooLargeError when it is more than a process ever has
   * @throws OverloadedError when there is no room for too long
   */
  reserve(bytes: number): MaybePromise<void>
  /**
   * Does the same for work that hardly ever takes as much, such as a page of the largest records: reserves no more than
   * one request may have, instead of refusing it.
   *
   * @returns how much that is
   */
  reserveAtMost(bytes: number): MaybePromise<number>
  /**
   * Counts more memory, for work that only finds out on its way how much it takes.
   *
   * @throws OverloadedError when there is no room at this moment
   */
  take(bytes: number): void
  /**
   * Counts memory that is in use already, such as a result that exists only once. Never refused: what comes later waits
   * for it.
   */
  add(bytes: number): void
}

/** Whom a request acts for. Memory is shared among apps, and among teams. */
export interface TaskOwner {
  /** Where there is no app, that of the team. */
  readonly appId: string
  readonly teamId: string
}

/** Where the memory of tasks comes from. */
export interface TaskMemory {
  /** What one task may have. Default: any number. */
  readonly mostForOne?: number
  reserve(bytes: number, task: RequestTask): MaybePromise<void>
  take(bytes: number, task: RequestTask): void
  add(bytes: number, task: RequestTask): void
}

export interface RequestTaskOptions {
  readonly turns: Turns
  /** Default: memory is not limited. */
  readonly memory?: TaskMemory
}

/** The task of one request. Whoever hosts the request cancels it. */
export class RequestTask implements Task {
  /** Null: not known. */
  owner: TaskOwner | null = null
  readonly #turns: Turns
  readonly #memory: TaskMemory | undefined
  #cancelled: Error | null = null
  /** Created when it is needed: most requests are answered before. */
  #controller: AbortController | null = null

  constructor({ turns, memory }: RequestTaskOptions) {
    this.#turns = turns
    this.#memory = memory
  }

  get cancelled(): Error | null {
    return this.#cancelled
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#cancelled !== null) this.#controller.abort(this.#cancelled)
    return this.#controller.signal
  }

  /** Stops the request's work at its next turn. Only the first reason counts. */
  cancel(reason: Error): void {
    this.#cancelled ??= reason
    this.#controller?.abort(this.#cancelled)
  }

  run<Result>(work: Work<Result>): MaybePromise<Result> {
    return this.#turns.run(work, this)
  }

  next(): Promise<void> {
    return this.#turns.next(this)
  }

  reserve(bytes: number): MaybePromise<void> {
    if (this.#cancelled !== null) throw this.#cancelled
    return this.#memory?.reserve(bytes, this)
  }

  reserveAtMost(bytes: number): MaybePromise<number> {
    const most = Math.min(bytes, this.#memory?.mostForOne ?? bytes)
    return andThen(this.reserve(most), () => most)
  }

  take(bytes: number): void {
    if (this.#cancelled !== null) throw this.#cancelled
    this.#memory?.take(bytes, this)
  }

  add(bytes: number): void {
    this.#memory?.add(bytes, this)
  }
}
