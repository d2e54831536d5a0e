import type { ChildProcess } from "node:child_process"
import { randomUUID } from "node:crypto"
import { InvalidZipError, listZip } from "@sealway/functions"
import { loadOnce, MB } from "@sealway/kernel"
import {
  type FunctionHost,
  type Invocation,
  LAMBDA_RUNTIMES,
  MAX_EVENT_BYTES,
  type NewProgram,
  RefusedProgramError,
  UnavailableError,
} from "@sealway/ports"
import type { Confinement } from "./confinement/confinement.ts"
import { findPython, nodeInterpreter } from "./confinement/interpreter.ts"
import { type FunctionStore, runtimeFamilyOf, type StoredFunction } from "./function-store.ts"
import { Instance } from "./instance.ts"
import { InstancePool } from "./instance-pool.ts"
import { LargeResults } from "./large-results.ts"
import { launchInstance } from "./launch.ts"
import { LogStore } from "./log-store.ts"
import { FunctionConnections } from "./network/function-connections.ts"
import { isGuarded } from "./network/function-network.ts"
import { type Outside, serveNetwork } from "./network/serve-network.ts"

export interface LocalFunctionHostOptions {
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

export interface LocalFunctionHost extends FunctionHost {
  /** Ends all calls. */
  close(): Promise<void>
}

const INIT_TIMEOUT_MS = 10_000
const POOL_LIMITS = { maxInstances: 10, maxWaiting: 1_000, maxWaitMs: 10_000, idleMs: 3 * 60_000 }
/** Those of Lambda. */
const ZIP_LIMITS = { maxEntries: 10_000, maxBytes: 250 * MB }
const NO_PYTHON = "functions in Python need Python 3.11 or newer, which was not found on this machine"
/** The cursor of a page of log lines: the id of its first line. */
const CURSOR = /^\d{1,15}$/
const NOT_AWAITED: Invocation = { kind: "timed-out", isStopped: false }

/** Creates a host on which each program runs in processes of this machine. */
export function createLocalFunctionHost({
  store,
  pythonPath,
  confinement,
  allowsUnconfined,
  outside,
  wallClock,
}: LocalFunctionHostOptions): LocalFunctionHost {
  const logs = new LogStore(wallClock)
  const pools = new Map<StoredFunction, InstancePool>()
  const largeResults = new LargeResults()
  const connections = new FunctionConnections()
  const creating = new Map<string, Promise<void>>()
  const retiring = new Set<Promise<void>>()
  const interpreters = { node: loadOnce(nodeInterpreter), python: loadOnce(() => findPython(pythonPath)) }
  let isClosed = false

  async function add({ language, zip, ...program }: NewProgram): Promise<void> {
    const runtime = LAMBDA_RUNTIMES[language]
    if ((await interpreters[runtimeFamilyOf(runtime)]()) === null) throw new RefusedProgramError(NO_PYTHON)
    try {
      const files = listZip(Buffer.from(zip.buffer, zip.byteOffset, zip.length), ZIP_LIMITS)
      await store.add({ ...program, runtime }, files)
    } catch (error) {
      if (!(error instanceof InvalidZipError)) throw error
      throw new RefusedProgramError("its zip cannot be unpacked", { cause: error })
    }
  }

  async function run(name: string, event: Uint8Array): Promise<Invocation> {
    const stored = store.functions.get(name)
    if (stored === undefined) return { kind: "absent" }
    const { runtime, timeoutSeconds } = stored.configuration
    const family = runtimeFamilyOf(runtime)
    const isConfined = confinement.languages.includes(family)
    if (!isConfined && !allowsUnconfined) return { kind: "no-sandbox" }
    const interpreter = await interpreters[family]()
    if (interpreter === null) throw new UnavailableError(NO_PYTHON)
    if (isClosed) throw new UnavailableError("functions are being stopped")
    // It may have been removed since: a pool created now would never be retired.
    if (store.functions.get(name) !== stored) return { kind: "absent" }
    const pool = poolOf(stored, () =>
      watched(stored, launchInstance(stored, interpreter, isConfined ? confinement : null), isConfined),
    )
    const call = { requestId: randomUUID(), event, timeoutMs: timeoutSeconds * 1_000 }
    const outcome = await pool.invoke(call, wallClock)
    if (outcome === null) return { kind: "busy" }
    if (outcome.report !== null) log(stored, outcome.report)
    return outcome.invocation
  }

  function poolOf(stored: StoredFunction, start: () => Instance): InstancePool {
    const known = pools.get(stored)
    if (known !== undefined) return known
    const pool = new InstancePool({ ...POOL_LIMITS, start })
    pools.set(stored, pool)
    return pool
  }

  function watched(stored: StoredFunction, child: ChildProcess, isConfined: boolean): Instance {
    const { name, memoryMb } = stored.configuration
    const onLine = (line: string) => log(stored, line)
    const instance = new Instance(child, {
      memoryMb,
      initTimeoutMs: INIT_TIMEOUT_MS,
      // The kernel ends confined processes.
      freezes: isConfined,
      onLine,
      largeResults,
    })
    if (isConfined && isGuarded(confinement.network)) {
      serveNetwork(child, {
        network: confinement.network,
        outside,
        open: () => connections.open(name),
        // An address may be a value of a data subject.
        onLine: (line) => instance.isSilent || onLine(line),
      })
    }
    return instance
  }

  /** The lines of a function that was removed are not kept. */
  function log(stored: StoredFunction, line: string): void {
    const { name } = stored.configuration
    if (store.functions.get(name) === stored) logs.append(name, line)
  }

  return {
    async create(program) {
      const { name } = program
      if (store.functions.has(name)) return
      const adding = creating.get(name) ?? add(program).finally(() => creating.delete(name))
      creating.set(name, adding)
      await adding
    },

    stateOf: async (name) => (store.functions.has(name) ? "active" : "absent"),

    async invoke(name, event, limitMs, signal) {
      if (event.length > MAX_EVENT_BYTES) return { kind: "payload-too-large" }
      if (signal?.aborted === true) return NOT_AWAITED
      return awaited(run(name, event), limitMs, signal)
    },

    async remove(name) {
      const stored = store.functions.get(name)
      if (stored === undefined) return
      await store.forget(stored)
      logs.remove(name)
      const retired = (pools.get(stored)?.retire() ?? Promise.resolve())
        .then(() => pools.delete(stored))
        .then(() => store.removeCode(stored))
        .finally(() => retiring.delete(retired))
      retiring.add(retired)
    },

    async logs(name, since, limit, after) {
      if (after !== null && !CURSOR.test(after)) return null
      const found = logs.lines(name).filter(({ id, at }) => id >= Number(after) && at >= since)
      const next = found[limit]
      return {
        lines: found.slice(0, limit).map(({ at, message }) => ({ at, message: message.trimEnd() })),
        next: next === undefined ? null : String(next.id),
      }
    },

    async close() {
      isClosed = true
      await Promise.all([...pools.values()].map((pool) => pool.close()))
      await Promise.allSettled(retiring)
      await store.close()
    },
  }
}

/** Waits for a call, which goes on when its time is up or nobody wants its outcome any more. */
async function awaited(
  running: Promise<Invocation>,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<Invocation> {
  const { promise, resolve } = Promise.withResolvers<Invocation>()
  const leave = () => resolve(NOT_AWAITED)
  const timer = setTimeout(leave, limitMs)
  signal?.addEventListener("abort", leave)
  try {
    return await Promise.race([running, promise])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", leave)
  }
}
