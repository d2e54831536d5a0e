import { functionArn, RUNTIME_LANGUAGES } from "./function-configuration.ts"
import type { FunctionStore, StoredFunction } from "./function-store.ts"
import { Instance } from "./instance.ts"
import { InstancePool } from "./instance-pool.ts"
import { LambdaError } from "./lambda-error.ts"
import { findPython, launchInstance } from "./launch.ts"
import { LogStore } from "./log-store.ts"
import type { Outcome } from "./outcome.ts"

/** Reads an object of the embedded S3. Null when there is none. */
export type ReadObject = (bucket: string, key: string) => Promise<Uint8Array | null>

export interface EmbeddedLambdaOptions {
  readonly store: FunctionStore
  readonly readObject: ReadObject
  /** The command that starts Python, 3.11 or newer. */
  readonly pythonPath: string
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

const INIT_TIMEOUT_MS = 10_000
/** Where it stands in the logs how runs failed that could not say so themselves. */
const LAMBDA_STREAM = "[$LATEST]lambda"
const MAX_LOGGED_BYTES = 4_096
const POOL_LIMITS = { maxInstances: 10, maxWaiting: 1_000, maxWaitMs: 10_000, idleMs: 3 * 60_000 }

/** The functions and what runs them. */
export class EmbeddedLambda {
  readonly store: FunctionStore
  readonly logs = new LogStore()
  readonly readObject: ReadObject
  readonly wallClock: () => number
  /** Names of functions that are being made. */
  readonly creating = new Set<string>()
  readonly #pythonPath: string
  readonly #pools = new Map<StoredFunction, InstancePool>()
  readonly #retiring = new Set<Promise<void>>()
  #python: Promise<string | null> | undefined
  #closed = false

  constructor({ store, readObject, pythonPath, wallClock }: EmbeddedLambdaOptions) {
    this.store = store
    this.readObject = readObject
    this.wallClock = wallClock
    this.#pythonPath = pythonPath
  }

  /** @throws LambdaError ResourceNotFoundException */
  find(name: string): StoredFunction {
    const found = this.store.functions.get(name)
    if (found === undefined) throw notFound(name)
    return found
  }

  /** An absolute path, looked up once; null when this machine has none that is new enough. */
  python(): Promise<string | null> {
    this.#python ??= findPython(this.#pythonPath)
    return this.#python
  }

  /** @throws LambdaError ResourceNotFoundException, TooManyRequestsException, InvalidRuntimeException; ServiceException once it is closed */
  async invoke(stored: StoredFunction, requestId: string, event: Uint8Array): Promise<Outcome> {
    const needsPython = RUNTIME_LANGUAGES.get(stored.configuration.runtime) === "python"
    const python = needsPython ? await this.python() : ""
    if (python === null) throw new LambdaError("InvalidRuntimeException", NO_PYTHON)
    if (this.#closed) throw new LambdaError("ServiceException", "The embedded Lambda is being stopped.")
    // It may have been deleted meanwhile: a pool made now would never be retired.
    if (this.store.functions.get(stored.configuration.name) !== stored)
      throw notFound(stored.configuration.name)
    const pool = this.#poolOf(stored, python)
    const timeoutMs = stored.configuration.timeoutSeconds * 1_000
    const outcome = await pool.invoke({ requestId, event, timeoutMs }, this.wallClock)
    if (outcome === null) throw new LambdaError("TooManyRequestsException", "Rate Exceeded.")
    if (outcome.failed)
      this.#log(stored, LAMBDA_STREAM, outcome.payload.toString("utf8", 0, MAX_LOGGED_BYTES))
    return outcome
  }

  /** Its runs may finish; then its code is removed. */
  async delete(stored: StoredFunction): Promise<void> {
    await this.store.forget(stored)
    const retiring = (this.#pools.get(stored)?.retire() ?? Promise.resolve())
      .then(() => this.#pools.delete(stored))
      .then(() => this.store.removeCode(stored))
      .finally(() => this.#retiring.delete(retiring))
    this.#retiring.add(retiring)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()))
    await Promise.allSettled(this.#retiring)
    await this.store.close()
  }

  #poolOf(stored: StoredFunction, python: string): InstancePool {
    const known = this.#pools.get(stored)
    if (known !== undefined) return known
    const pool = new InstancePool({ ...POOL_LIMITS, start: () => this.#start(stored, python) })
    this.#pools.set(stored, pool)
    return pool
  }

  #start(stored: StoredFunction, python: string): Instance {
    const child = launchInstance(stored, python)
    const stream = `[$LATEST]${child.pid ?? 0}`
    return new Instance(child, {
      memoryMb: stored.configuration.memoryMb,
      initTimeoutMs: INIT_TIMEOUT_MS,
      onLine: (line) => this.#log(stored, stream, line),
    })
  }

  #log({ configuration }: StoredFunction, stream: string, message: string): void {
    this.logs.append(`/aws/lambda/${configuration.name}`, stream, this.wallClock(), message)
  }
}

export const NO_PYTHON = "Functions in Python need Python 3.11 or newer, which was not found on this machine."

function notFound(name: string): LambdaError {
  return new LambdaError("ResourceNotFoundException", `Function not found: ${functionArn(name)}`)
}
