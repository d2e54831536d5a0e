import { AsyncLocalStorage } from "node:async_hooks"
import { setImmediate as turn } from "node:timers/promises"
import type { Access, Accesses } from "./accesses.ts"
import type { Fault, Option, Step } from "./history.ts"
import { withVirtualTime } from "./virtual-time.ts"

/** What dies as one. */
export interface Process {
  readonly name: string
  isDead: boolean
  /** When its host ends it, whatever it does; it may have been frozen until then. Default: never. */
  endsAtMs: number
  /** Resolves when it dies. */
  readonly death: Promise<null>
  readonly kill: () => void
}

export function createProcess(name: string): Process {
  const { promise, resolve } = Promise.withResolvers<null>()
  const process: Process = {
    name,
    isDead: false,
    endsAtMs: Number.POSITIVE_INFINITY,
    death: promise,
    kill() {
      process.isDead = true
      resolve(null)
    },
  }
  return process
}

/** A call to the outside. */
export interface Call {
  /** `config.replace app_1 key#1` */
  readonly text: string
  /** Null for what nobody else can notice. */
  readonly access: Access | null
  readonly faults: readonly Fault[]
}

interface PendingCall extends Call {
  readonly actor: Actor
  readonly process: Process
  /** @returns what the step's table says of it */
  readonly go: (fault: Fault | null) => string
}

interface Sleeper {
  readonly actor: Actor
  readonly untilMs: number
  readonly wake: () => void
}

interface Actor {
  readonly name: string
  isDone: boolean
}

/** A message that can be delivered. */
export interface Deliverable {
  /** `message events/2` */
  readonly label: string
  readonly visibleAtMs: number
  /** Starts its worker. */
  readonly deliver: (isTwice: boolean) => void
}

/** Chooses one of what may happen next, by its index. */
export type Choose = (step: number, options: readonly Option[]) => number

/** More steps than anyone takes at a time. */
const MAX_STEPS = 20_000
/** How many turns of the event loop without any news show that everyone waits for the scheduler. */
const QUIET_TURNS = 2
/** How many turns without any news show that someone who works waits for what never comes: some seconds. */
const WORKING_TURNS = 1_000_000

/** Makes a call of one process to the outside. */
export type Reach = <Result>(call: Call, act: () => Result) => Promise<Result>

/** The error that a client of AWS throws when it is throttled, or gets no answer. */
export type UnavailableError = () => Error

/**
 * Runs actors, asynchronous functions whose calls to the outside all come here, one step at a time: one call ends, a
 * message is delivered, or time passes until a sleeper wakes. Who comes next is chosen from outside, so that the same
 * choices make the same history.
 */
export class Scheduler {
  readonly steps: Step[] = []
  nowMs: number
  /** Errors that actors ended with. */
  readonly errors: unknown[] = []
  readonly #accesses: Accesses
  readonly #unavailable: UnavailableError
  readonly #stepMs: number
  readonly #actorOf = new AsyncLocalStorage<Actor>()
  readonly #actors: Actor[] = []
  readonly #pending: PendingCall[] = []
  readonly #sleepers: Sleeper[] = []
  #deliverables: () => readonly Deliverable[] = () => []
  readonly #later: (() => void)[] = []
  #current: Actor | null = null
  #news = 0
  #isRunning = false

  /** @param stepMs how long each step takes */
  constructor(nowMs: number, stepMs: number, accesses: Accesses, unavailable: UnavailableError) {
    this.#stepMs = stepMs
    this.nowMs = nowMs
    this.#accesses = accesses
    this.#unavailable = unavailable
  }

  /** Whether a history runs. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  /** @param deliverables returns the messages that are in queues */
  deliverFrom(deliverables: () => readonly Deliverable[]): void {
    this.#deliverables = deliverables
  }

  /** Starts an actor when the history begins. */
  startLater(name: string, act: () => Promise<unknown>): void {
    this.#later.push(() => this.start(name, act))
  }

  start(name: string, act: () => Promise<unknown>): void {
    const actor: Actor = { name, isDone: false }
    this.#actors.push(actor)
    const end = () => {
      actor.isDone = true
      this.#news++
    }
    void this.#actorOf.run(actor, () =>
      act().then(end, (error) => {
        this.errors.push(error)
        end()
      }),
    )
  }

  /** Makes a call of a process to the outside. While no history runs, as in preparations, it is made at once. */
  reach<Result>(process: Process, call: Call, act: () => Result): Promise<Result> {
    const actor = this.#actorOf.getStore()
    if (!this.#isRunning || actor === undefined) return Promise.resolve().then(act)
    if (process.isDead) return new Promise(() => {})
    if (call.access !== null) this.#accesses.note(actor.name, call.access)
    this.#news++
    return new Promise((resolve, reject) => {
      const go = (fault: Fault | null): string => {
        if (fault === "dies") {
          process.kill()
          return "the process dies before it"
        }
        if (fault === "throttled") {
          reject(this.#unavailable())
          return "fails before it takes effect"
        }
        try {
          if (fault === "retried") act()
          const result = act()
          if (fault === "lost") reject(this.#unavailable())
          else resolve(result)
          return fault === null ? shown(result) : `${FAULTS[fault]}${shown(result)}`
        } catch (error) {
          reject(error)
          return String(error)
        }
      }
      this.#pending.push({ ...call, actor, process, go })
    })
  }

  /** Lets time pass for the actor that calls this. */
  sleep(ms: number): Promise<void> {
    const actor = this.#actorOf.getStore()
    if (!this.#isRunning || actor === undefined) {
      this.nowMs += Math.ceil(ms)
      return Promise.resolve()
    }
    this.#news++
    return new Promise((wake) => {
      this.#sleepers.push({ actor, untilMs: this.nowMs + Math.ceil(ms), wake })
    })
  }

  /**
   * Runs until everyone has ended, or nothing happens before a time.
   *
   * @throws Error when someone waits for what never comes
   */
  async run(choose: Choose, untilMs = Number.POSITIVE_INFINITY): Promise<void> {
    this.#isRunning = true
    const mostSteps = this.steps.length + MAX_STEPS
    try {
      await withVirtualTime(
        (ms) => this.sleep(ms),
        async () => {
          for (const begin of this.#later.splice(0)) begin()
          for (;;) {
            for (const { process } of this.#pending) if (process.endsAtMs <= this.nowMs) process.kill()
            await this.#quiet()
            const options = this.#options(untilMs)
            if (options.length === 0) break
            if (this.steps.length >= mostSteps) throw new Error("The history does not end")
            const chosen = choose(this.steps.length, options)
            const option = options[chosen]
            if (option === undefined) throw new Error("There is no such option")
            const { actor, call, outcome } = option.act()
            this.steps.push({ actor, call, outcome, atMs: this.nowMs, options, chosen })
            this.nowMs += this.#stepMs
          }
        },
      )
    } finally {
      this.#isRunning = false
    }
    const waiting = this.#actors.filter(({ isDone }) => !isDone).map(({ name }) => name)
    if (waiting.length > 0) throw new Error(`Waits for what never comes: ${waiting.join(", ")}`)
  }

  /**
   * Resolves when everyone has ended, or waits for a choice. Who does neither works, perhaps in a thread of Node.js: each
   * actor has processes of its own, so nobody waits for another one.
   */
  async #quiet(): Promise<void> {
    for (let quiet = 0; quiet < (this.#isEveryoneWaiting() ? QUIET_TURNS : WORKING_TURNS); ) {
      const before = this.#news
      await turn()
      quiet = before === this.#news ? quiet + 1 : 0
    }
  }

  #isEveryoneWaiting(): boolean {
    // What a dead process was waiting for is nothing that its actor, which has gone on in another one, waits for.
    const pending = this.#pending.filter(({ process }) => !process.isDead)
    const waiting = new Set([...pending, ...this.#sleepers].map(({ actor }) => actor))
    return this.#actors.every((actor) => actor.isDone || waiting.has(actor))
  }

  /** What may happen next; first what happens by default. */
  #options(untilMs: number): readonly (Option & { readonly act: () => Happened })[] {
    // In the order of the actors: who works in a thread may come to a call sooner or later.
    const calls = this.#actors.flatMap((actor) =>
      this.#pending.filter((call) => call.actor === actor && !call.process.isDead),
    )
    const going = calls.find(({ actor }) => actor === this.#current) ?? calls[0] ?? null
    const isWorthwhile =
      going === null || going.access === null || this.#accesses.hasConflict(going.actor.name, going.access)
    const cost = { preemptions: 1 as const, faults: 0 as const, isWorthwhile, passesTime: false }
    const free = { preemptions: 0 as const, isWorthwhile: true, passesTime: false }
    const found: (Option & { readonly act: () => Happened })[] = []
    const seen = new Set<Actor>()
    for (const call of going === null ? [] : [going, ...calls]) {
      if (seen.has(call.actor)) continue
      seen.add(call.actor)
      const isDefault = call === going
      const price = isDefault ? free : cost
      const { text } = call
      found.push({ ...price, faults: 0, label: call.actor.name, call: text, act: () => this.#go(call, null) })
      for (const fault of call.faults) {
        const label = `${call.actor.name}!${fault}`
        found.push({ ...price, faults: 1, label, call: text, act: () => this.#go(call, fault) })
      }
    }
    const messages = this.#deliverables()
    const deliver = (message: Deliverable, isTwice: boolean) => () => {
      this.nowMs = Math.max(this.nowMs, message.visibleAtMs)
      message.deliver(isTwice)
      return { actor: "queue", call: message.label, outcome: isTwice ? "delivered, and again" : "delivered" }
    }
    const visibleMs = Math.min(this.nowMs, untilMs)
    for (const message of messages.filter(({ visibleAtMs }) => visibleAtMs <= visibleMs)) {
      const price = found.length === 0 ? free : cost
      found.push({ ...price, faults: 0, label: message.label, call: null, act: deliver(message, false) })
      found.push({
        ...price,
        faults: 1,
        label: `${message.label}!twice`,
        call: null,
        act: deliver(message, true),
      })
    }
    // Time passes by itself when nobody has anything to do; sooner, it passes for those who do.
    const later = [
      ...this.#sleepers.map((sleeper) => ({
        atMs: sleeper.untilMs,
        label: `clock ${sleeper.actor.name}`,
        act: () => this.#wake(sleeper),
      })),
      ...messages
        .filter(({ visibleAtMs }) => visibleAtMs > visibleMs)
        .map((message) => ({
          atMs: message.visibleAtMs,
          label: message.label,
          act: deliver(message, false),
        })),
    ].sort((left, right) => left.atMs - right.atMs)
    const [next] = later
    if (next !== undefined && next.atMs <= untilMs)
      found.push({ ...cost, label: next.label, call: null, passesTime: true, act: next.act })
    return found
  }

  #go(call: PendingCall, fault: Fault | null): Happened {
    this.#pending.splice(this.#pending.indexOf(call), 1)
    this.#current = call.actor
    return { actor: call.actor.name, call: call.text, outcome: call.go(fault) }
  }

  #wake(sleeper: Sleeper): Happened {
    this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1)
    const slept = Math.max(0, sleeper.untilMs - this.nowMs)
    this.nowMs += slept
    this.#current = sleeper.actor
    this.#news++
    sleeper.wake()
    return { actor: sleeper.actor.name, call: "sleep", outcome: `${slept / 1000} s later` }
  }
}

interface Happened {
  readonly actor: string
  readonly call: string
  readonly outcome: string
}

const FAULTS = { lost: "its answer is lost: ", retried: "made twice: ", twice: "" } as const

function shown(result: unknown): string {
  if (result === null || result === undefined || typeof result === "boolean")
    return String(result ?? "nothing")
  if (Array.isArray(result)) return `${result.length} found`
  return typeof result === "object" ? "found" : String(result)
}
