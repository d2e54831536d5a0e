import { AsyncLocalStorage } from "node:async_hooks"
import type { SQSBatchResponse, SQSEvent } from "aws-lambda"
import { createDerivedDraws, type Draws } from "../../ports/draws.ts"
import { UnavailableError } from "../../ports/errors.ts"
import type { QueueName } from "../../ports/queues.ts"
import { createMemoryTable, type MemoryTable } from "../memory-table.ts"
import { type Explored, unexplored } from "./explore-histories.ts"
import { ASKING, tableCall } from "./faults.ts"
import { createSender, deliverables, isSpent, type Messages, type QueuedMessage } from "./queues.ts"
import { createProcess, type Deliverable, type Process, type Reach } from "./scheduler.ts"

export interface SimulatedServiceOptions {
  /** Default: everything happens by default. */
  readonly explored?: Explored | undefined
  /** Returns what takes the messages of a queue. Default: nobody does. */
  readonly workerOf?: (queue: string) => (event: SQSEvent) => Promise<SQSBatchResponse>
  /** Whether later messages are delivered before earlier ones, as SQS may do. Default: no. */
  readonly isNewestFirst?: boolean
}

/**
 * Tables, queues and workers of a part of the service, for tests that call it without an API. Days pass instantly. Whoever
 * calls from a process that `work` and `mortal` start may die there; calls of tests themselves are made at once.
 */
export class SimulatedService {
  readonly reach: Reach
  /** The same in each history. */
  readonly draws: Draws = createDerivedDraws(new Uint8Array(32))
  readonly queues: ReturnType<typeof createSender>
  readonly #options: SimulatedServiceOptions
  readonly #explored: Explored
  readonly #messages: Messages = new Map()
  readonly #processOf = new AsyncLocalStorage<Process>()
  /** Whether messages are delivered while the scheduler runs. */
  #isWorking = false
  /** How many workers are at work: these take one message after another. */
  #working = 0

  constructor(options: SimulatedServiceOptions = {}) {
    this.#options = options
    this.#explored = options.explored ?? unexplored()
    const { scheduler } = this.#explored
    const outside = createProcess("test")
    this.reach = (call, act) => scheduler.reach(this.#processOf.getStore() ?? outside, call, act)
    this.queues = createSender(this.#messages, { count: 0 }, () => this.nowMs, this.reach)
    const start = scheduler.start.bind(scheduler)
    scheduler.deliverFrom(() => (this.#isWorking && this.#working === 0 ? this.#deliverables(start) : []))
  }

  get nowMs(): number {
    return this.#explored.scheduler.nowMs
  }

  /** Messages that wait or are worked on, without dead letters. */
  get messages(): readonly QueuedMessage[] {
    return [...this.#messages.values()].filter((message) => !isDeadLetter(message) && !isSpent(message))
  }

  get deadLetters(): readonly unknown[] {
    return [...this.#messages.values()].filter(isDeadLetter).map(({ body }) => JSON.parse(body))
  }

  /** Adds a message as it is, which the service would not send. */
  addMessage(queue: QueueName, body: string): void {
    const id = `${queue}/${this.#messages.size} by hand`
    this.#messages.set(id, { id, queue, body, visibleAtMs: this.nowMs, receives: 0 })
  }

  loseMessages(): void {
    for (const { id } of this.messages) this.#messages.delete(id)
  }

  pass(ms: number): void {
    this.#explored.scheduler.nowMs += ms
  }

  createTable(name: string): MemoryTable {
    return createMemoryTable({
      wallClock: () => this.nowMs,
      reach: (call, act) => this.reach(tableCall(name, call), act),
    })
  }

  /** Asks someone else's system, whose answer `act` returns. */
  ask<Result>(text: string, act: () => Result): Promise<Result> {
    return this.reach({ text, access: null, faults: ASKING }, act)
  }

  /** Delivers messages as they become visible, until none is left or the time is over. */
  async work(forMs: number): Promise<void> {
    const untilMs = this.nowMs + forMs
    this.#isWorking = true
    try {
      if (this.messages.some(({ visibleAtMs }) => visibleAtMs <= untilMs)) await this.#run(untilMs)
    } finally {
      this.#isWorking = false
    }
    this.pass(Math.max(0, untilMs - this.nowMs))
  }

  /**
   * Delivers each message as soon as it is visible, concurrently, while the clock stands still: no history.
   *
   * @returns a function that stops this and waits for the workers in progress
   */
  workConcurrently(): () => Promise<void> {
    const inHand = new Set<Promise<unknown>>()
    const start = (_: string, act: () => Promise<unknown>) => void inHand.add(act())
    const timer = setInterval(() => {
      const visible = this.#deliverables(start).filter(({ visibleAtMs }) => visibleAtMs <= this.nowMs)
      for (const { deliver } of visible) deliver(false)
    })
    return async () => {
      clearInterval(timer)
      await Promise.all(inHand)
    }
  }

  /** Runs a request, which may die as processes do, or fail because a service of the cloud does. @returns whether it ended well */
  async mortal(act: () => Promise<unknown>): Promise<boolean> {
    let isDone = false
    this.#explored.scheduler.startLater("request", () =>
      this.#live("request", async () => {
        try {
          await act()
          isDone = true
        } catch (error) {
          if (!(error instanceof UnavailableError)) throw error
        }
      }),
    )
    await this.#run(this.nowMs)
    return isDone
  }

  async #run(untilMs: number): Promise<void> {
    const { scheduler, choose } = this.#explored
    await scheduler.run(choose, untilMs)
    for (const error of scheduler.errors.splice(0)) throw error
  }

  /** @returns null when the process has died */
  #live<Result>(name: string, act: () => Promise<Result>): Promise<Result | null> {
    const process = createProcess(name)
    return this.#processOf.run(process, () => Promise.race([act(), process.death]))
  }

  #deliverables(start: (name: string, act: () => Promise<unknown>) => void): readonly Deliverable[] {
    const { workerOf, isNewestFirst = false } = this.#options
    if (workerOf === undefined) return []
    const found = deliverables({
      messages: this.#messages,
      nowMs: () => this.nowMs,
      start,
      workerOf: (queue) => async (event) => {
        this.#working++
        return this.#live("worker", () => workerOf(queue)(event)).finally(() => this.#working--)
      },
    })
    return isNewestFirst ? found.toReversed() : found
  }
}

const isDeadLetter = ({ queue }: QueuedMessage) => queue.endsWith("-dead-letters")
