import type { ChildProcess } from "node:child_process"
import type { Confinement } from "./confinement/confinement.ts"
import { findPython, type Interpreter, nodeInterpreter } from "./confinement/interpreter.ts"
import { functionArn, RUNTIME_LANGUAGES, type RuntimeLanguage } from "./function-configuration.ts"
import type { FunctionStore, StoredFunction } from "./function-store.ts"
import { Instance } from "./instance.ts"
import { InstancePool } from "./instance-pool.ts"
import { LambdaError } from "./lambda-error.ts"
import { LargeResults } from "./large-results.ts"
import { launchInstance } from "./launch.ts"
import { LogStore } from "./log-store.ts"
import { FunctionConnections } from "./network/function-connections.ts"
import { isGuarded } from "./network/function-network.ts"
import { type Outside, serveNetwork } from "./network/serve-network.ts"
import type { Outcome } from "./outcome.ts"

export interface EmbeddedLambdaOptions {
  readonly store: FunctionStore
  /** The command that starts Python, 3.11 or newer. */
  readonly pythonPath: string
  readonly confinement: Confinement
  /** Whether functions may run unconfined when this machine cannot confine them. */
  readonly allowsUnconfined: boolean
  /** For functions that have networks of their own. */
  readonly outside: Outside
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

const INIT_TIMEOUT_MS = 10_000
/** The log stream for failures of runs that could not report them themselves. */
const LAMBDA_STREAM = "[$LATEST]lambda"
const MAX_LOGGED_BYTES = 4_096
const POOL_LIMITS = { maxInstances: 10, maxWaiting: 1_000, maxWaitMs: 10_000, idleMs: 3 * 60_000 }

/** The embedded Lambda functions and their instances. */
export class EmbeddedLambda {
  readonly store: FunctionStore
  readonly logs = new LogStore()
  readonly wallClock: () => number
  /** Names of functions that are being created. */
  readonly creating = new Set<string>()
  readonly #pythonPath: string
  readonly #confinement: Confinement
  readonly #allowsUnconfined: boolean
  readonly #outside: Outside
  readonly #pools = new Map<StoredFunction, InstancePool>()
  readonly #largeResults = new LargeResults()
  readonly #connections = new FunctionConnections()
  readonly #retiring = new Set<Promise<void>>()
  #node: Promise<Interpreter> | undefined
  #python: Promise<Interpreter | null> | undefined
  #closed = false

  constructor(options: EmbeddedLambdaOptions) {
    this.store = options.store
    this.wallClock = options.wallClock
    this.#pythonPath = options.pythonPath
    this.#confinement = options.confinement
    this.#allowsUnconfined = options.allowsUnconfined
    this.#outside = options.outside
  }

  /** @throws LambdaError ResourceNotFoundException */
  find(name: string): StoredFunction {
    const found = this.store.functions.get(name)
    if (found === undefined) throw notFound(name)
    return found
  }

  /** Looked up once; null when this machine has none that is new enough. */
  python(): Promise<Interpreter | null> {
    this.#python ??= findPython(this.#pythonPath)
    return this.#python
  }

  /**
   * @throws LambdaError ResourceNotFoundException, TooManyRequestsException, InvalidRuntimeException; ServiceException
   * once it is closed; SandboxUnavailableException when functions in the language would run unconfined, and may not
   */
  async invoke(stored: StoredFunction, requestId: string, event: Uint8Array): Promise<Outcome> {
    const language = RUNTIME_LANGUAGES.get(stored.configuration.runtime) ?? "node"
    const confinement = this.#confinementOf(language)
    const interpreter = await this.#interpreterOf(language)
    if (interpreter === null) throw new LambdaError("InvalidRuntimeException", NO_PYTHON)
    if (this.#closed) throw new LambdaError("ServiceException", "The embedded Lambda is being stopped.")
    // It may have been deleted since: a pool created now would never be retired.
    if (this.store.functions.get(stored.configuration.name) !== stored)
      throw notFound(stored.configuration.name)
    const pool = this.#poolOf(stored, () =>
      this.#start(stored, launchInstance(stored, interpreter, confinement), confinement),
    )
    const timeoutMs = stored.configuration.timeoutSeconds * 1_000
    const outcome = await pool.invoke({ requestId, event, timeoutMs }, this.wallClock)
    if (outcome === null) throw new LambdaError("TooManyRequestsException", "Rate Exceeded.")
    if (outcome.failed && !outcome.isPrinted)
      this.#log(stored, LAMBDA_STREAM, outcome.payload.toString("utf8", 0, MAX_LOGGED_BYTES))
    return outcome
  }

  /** Its current runs may finish; then its code is removed. */
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

  /** Returns null when it may run unconfined. */
  #confinementOf(language: RuntimeLanguage): Confinement | null {
    if (this.#confinement.languages.includes(language)) return this.#confinement
    if (this.#allowsUnconfined) return null
    throw new LambdaError(
      "SandboxUnavailableException",
      "This machine cannot confine functions of this language.",
    )
  }

  #interpreterOf(language: RuntimeLanguage): Promise<Interpreter | null> {
    if (language === "python") return this.python()
    this.#node ??= nodeInterpreter()
    return this.#node
  }

  #poolOf(stored: StoredFunction, start: () => Instance): InstancePool {
    const known = this.#pools.get(stored)
    if (known !== undefined) return known
    const pool = new InstancePool({ ...POOL_LIMITS, start })
    this.#pools.set(stored, pool)
    return pool
  }

  #start(stored: StoredFunction, child: ChildProcess, confinement: Confinement | null): Instance {
    const stream = `[$LATEST]${child.pid ?? 0}`
    const onLine = (line: string) => this.#log(stored, stream, line)
    const instance = new Instance(child, {
      memoryMb: stored.configuration.memoryMb,
      initTimeoutMs: INIT_TIMEOUT_MS,
      // The kernel ends confined processes.
      freezes: confinement !== null,
      onLine,
      largeResults: this.#largeResults,
    })
    if (confinement !== null && isGuarded(confinement.network)) {
      serveNetwork(child, {
        network: confinement.network,
        outside: this.#outside,
        open: () => this.#connections.open(stored.configuration.name),
        // An address may be a value of a data subject.
        onLine: (line) => instance.isSilent || onLine(line),
      })
    }
    return instance
  }

  #log({ configuration }: StoredFunction, stream: string, message: string): void {
    this.logs.append(`/aws/lambda/${configuration.name}`, stream, this.wallClock(), message)
  }
}

export const NO_PYTHON = "Functions in Python need Python 3.11 or newer, which was not found on this machine."

function notFound(name: string): LambdaError {
  return new LambdaError("ResourceNotFoundException", `Function not found: ${functionArn(name)}`)
}
