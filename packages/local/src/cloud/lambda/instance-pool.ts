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
  /** How long an instance without work is kept. */
  readonly idleMs: number
}

/** The instances of one function: kept warm, started as needed, one invocation at a time in each. */
export class InstancePool {
  readonly #options: InstancePoolOptions
  /** The one that worked last comes first, so that those not needed grow old. */
  readonly #idle: { readonly instance: PooledInstance; readonly timer: NodeJS.Timeout }[] = []
  readonly #all = new Set<PooledInstance>()
  readonly #waiting: ((isFree: boolean) => void)[] = []
  #busy = 0
  #retired: PromiseWithResolvers<void> | null = null

  constructor(options: InstancePoolOptions) {
    this.#options = options
  }

  /** Null when too many invocations run or wait. */
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

  /** Lets what runs finish, then resolves. Nothing may be invoked any more. */
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

  /** Kills all instances, whatever they do. */
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

  /** To whoever waits for longest, without a gap in which another could come first. */
  #passOn(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#busy -= 1
    else next(true)
    if (this.#busy === 0) this.#retired?.resolve()
  }

  #drop(instance: PooledInstance): void {
    instance.end().then(() => this.#all.delete(instance))
  }

  /** Waits for a turn to use an instance. False when it takes too long. */
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
