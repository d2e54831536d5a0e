import type { Invocation } from "./instance.ts"
import type { Outcome } from "./outcome.ts"

/** See `Instance`. */
export interface PooledInstance {
  readonly ended: boolean
  invoke(invocation: Invocation): Promise<Outcome>
  end(): Promise<void>
}

export interface InstancePoolOptions {
  readonly start: () => PooledInstance
  readonly maxInstances: number
  /** How many invocations may wait for an instance. */
  readonly maxWaiting: number
  readonly maxWaitMs: number
  /** How long an idle instance is kept. */
  readonly idleMs: number
}

/** The instances of one function: kept warm, started as needed, with one invocation at a time each. */
export class InstancePool {
  readonly #options: InstancePoolOptions
  /** The most recently used one comes first, so that unneeded ones become old. */
  readonly #idle: { readonly instance: PooledInstance; readonly timer: NodeJS.Timeout }[] = []
  readonly #all = new Set<PooledInstance>()
  readonly #waiting: ((isFree: boolean) => void)[] = []
  #busy = 0
  #retired: PromiseWithResolvers<void> | null = null

  constructor(options: InstancePoolOptions) {
    this.#options = options
  }

  /** Returns null when too many invocations are running or waiting. */
  async invoke(invocation: Omit<Invocation, "deadlineMs">, wallClock: () => number): Promise<Outcome | null> {
    if (this.#busy < this.#options.maxInstances) this.#busy += 1
    else if (!(await this.#turn())) return null
    try {
      const instance = this.#takeIdle() ?? this.#start()
      const deadlineMs = wallClock() + invocation.timeoutMs
      const outcome = await instance.invoke({ ...invocation, deadlineMs })
      if (outcome.usable && this.#retired === null) this.#keep(instance)
      else this.#drop(instance)
      return outcome
    } finally {
      this.#passOn()
    }
  }

  /** Lets current runs finish, then resolves. Do not invoke it any more. */
  async retire(): Promise<void> {
    this.#retired ??= Promise.withResolvers<void>()
    for (const { instance, timer } of this.#idle.splice(0)) {
      clearTimeout(timer)
      instance.end()
    }
    if (this.#busy === 0) this.#retired.resolve()
    await this.#retired.promise
    await this.close()
  }

  /** Kills all instances immediately. */
  async close(): Promise<void> {
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer)
    for (const turn of this.#waiting.splice(0)) turn(false)
    await Promise.all([...this.#all].map((instance) => instance.end()))
  }

  #start(): PooledInstance {
    const instance = this.#options.start()
    this.#all.add(instance)
    return instance
  }

  #takeIdle(): PooledInstance | null {
    for (let next = this.#idle.pop(); next !== undefined; next = this.#idle.pop()) {
      clearTimeout(next.timer)
      if (!next.instance.ended) return next.instance
      this.#all.delete(next.instance)
    }
    return null
  }

  #keep(instance: PooledInstance): void {
    const timer = setTimeout(() => {
      const at = this.#idle.findIndex((each) => each.instance === instance)
      this.#idle.splice(at, 1)
      this.#drop(instance)
    }, this.#options.idleMs)
    timer.unref()
    this.#idle.push({ instance, timer })
  }

  /** Passes the instance to the call that has waited longest, without a gap for a new call. */
  #passOn(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#busy -= 1
    else next(true)
    if (this.#busy === 0) this.#retired?.resolve()
  }

  #drop(instance: PooledInstance): void {
    instance.end().then(() => this.#all.delete(instance))
  }

  /** Waits for a turn to use an instance. Returns false when it takes too long. */
  #turn(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    if (this.#waiting.length >= this.#options.maxWaiting) return Promise.resolve(false)
    const late = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(turn), 1)
      resolve(false)
    }, this.#options.maxWaitMs)
    const turn = (isFree: boolean) => {
      clearTimeout(late)
      resolve(isFree)
    }
    this.#waiting.push(turn)
    return promise
  }
}
