import type { ChildProcess } from "node:child_process"
import { Socket } from "node:net"
import type { Readable } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"
import { isSilencing } from "@sealway/functions"
import { encodeFrame, type Frame, FrameReader } from "../frames.ts"
import { LARGE_RESULT_BYTES, type LargeResults } from "./large-results.ts"
import { watchMemory } from "./memory-watch.ts"
import { answered, exited, failed, invalidResponse, type Outcome, outOfMemory, timedOut } from "./outcome.ts"
import { readOutput } from "./output-reader.ts"

export interface InstanceOptions {
  readonly memoryMb: number
  /** How long loading the handler's module may take. */
  readonly initTimeoutMs: number
  /**
   * Whether its processes are stopped between invocations. A stopped process does not notice that this process has
   * ended.
   */
  readonly freezes: boolean
  readonly onLine: (line: string) => void
  readonly largeResults: LargeResults
}

export interface Invocation {
  readonly requestId: string
  /** JSON. */
  readonly event: Uint8Array
  readonly timeoutMs: number
  /** Epoch milliseconds, for the function to see. */
  readonly deadlineMs: number
}

/** What ends the wait for the process. */
type Signal = Frame | "exit" | "timeout" | "memory"

/** How long the last output of a process may take to arrive after it has exited. */
const LAST_FRAME_MS = 200
/** How long a large result may take to arrive once there is a place for it, so that none is taken for nothing. */
const DELIVERY_MS = 5_000
const STDERR_TAIL_CHARACTERS = 4_096

/** A result of Lambda's maximum size, and room for the JSON of an error. */
const MAX_FRAME_BYTES = 6_291_556 + 64 * 1024

/**
 * One process that runs a function, one invocation at a time. It is never reused after anything but an answer. Frames
 * over its file descriptor 3 are:
 *
 * - `I`, to the process: an invocation: `{"requestId", "deadlineMs"}`, a line feed, and the event, both JSON
 * - `R`: ready for invocations
 * - `S`: the result, JSON. `E`: a JSON error instead of it
 * - `F`: a JSON error, after which the process ends: the module did not load, or an uncaught error
 *
 * The function's own code can write there too, so nothing that is read is trusted, except that it comes from that
 * process.
 */
export class Instance {
  readonly #process: ChildProcess
  readonly #options: InstanceOptions
  readonly #channel: Socket | null
  readonly #outputs: { flush(): void }[]
  readonly #exit: Promise<void>
  /** Null while nothing is awaited. */
  #notify: ((signal: Signal) => void) | null = null
  /** Stops and starts the time of what is awaited: a function that waits to pass on its result has ended. */
  #setWaiting: ((isWaiting: boolean) => void) | null = null
  /** Gives up the place of a large result. */
  #leave: (() => void) | undefined
  #stderrTail = ""
  #ended = false
  #prepared = false
  #isSilent = false

  constructor(child: ChildProcess, options: InstanceOptions) {
    this.#process = child
    this.#options = options
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#exit = promise
    const ended = () => {
      this.#ended = true
      this.#leave?.()
      resolve()
      this.#notify?.("exit")
    }
    const channel = child.stdio[3]
    this.#channel = channel instanceof Socket ? channel : null
    const closed = new Promise<void>((close) => this.#channel?.once("close", close))
    child.once("error", ended)
    // Its last output may arrive after the exit event, and a child process may keep the channel open longer.
    child.once("exit", () => {
      const late = setTimeout(ended, LAST_FRAME_MS)
      closed.then(() => {
        clearTimeout(late)
        ended()
      })
    })
    this.#listen()
    this.#outputs = [child.stdout, child.stderr].flatMap((output) =>
      output === null ? [] : [this.#readLines(output, output === child.stderr)],
    )
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Whether it was told to print nothing any more: what it does must not be logged either. */
  get isSilent(): boolean {
    return this.#isSilent
  }

  /** Calls the handler, loading it first if needed. Never throws. */
  async invoke({ requestId, event, timeoutMs, deadlineMs }: Invocation): Promise<Outcome> {
    const problem = await this.#prepare(requestId)
    if (problem !== null) return problem
    this.#isSilent ||= isSilencing(event)
    this.#signal("SIGCONT")
    const header = `${JSON.stringify({ requestId, deadlineMs })}\n`
    this.#channel?.write(encodeFrame("I", Buffer.concat([Buffer.from(header), event])))
    const outcome = await this.#outcomeOf(await this.#next(timeoutMs), requestId, timeoutMs)
    // As on Lambda: what it left running uses no time and no memory while no limit applies.
    if (outcome.usable && this.#options.freezes) this.#signal("SIGSTOP")
    await arrivals()
    for (const output of this.#outputs) output.flush()
    return outcome
  }

  /** Kills it. Resolves once it is gone. */
  async end(): Promise<void> {
    this.#kill()
    await this.#exit
  }

  /** Returns null once it is ready for invocations. */
  async #prepare(requestId: string): Promise<Outcome | null> {
    if (this.#prepared) return null
    const { initTimeoutMs } = this.#options
    const signal = await this.#next(initTimeoutMs)
    this.#prepared = typeof signal === "object" && signal.type === "R"
    return this.#prepared ? null : this.#outcomeOf(signal, requestId, initTimeoutMs)
  }

  async #outcomeOf(signal: Signal, requestId: string, timeoutMs: number): Promise<Outcome> {
    if (typeof signal === "object") {
      if (signal.type === "S" && this.#prepared) return answered(signal.body)
      if (signal.type === "E" && this.#prepared) return failed(signal.body, true)
      if (signal.type === "F") return failed(signal.body, false)
    }
    this.#kill()
    // The last output of the process says more than how it ended.
    if (signal === "exit") await arrivals()
    if (signal === "timeout") return timedOut(requestId, timeoutMs)
    if (signal === "memory" || this.#stderrTail.includes("heap out of memory")) return outOfMemory(requestId)
    if (signal !== "exit") return invalidResponse(requestId)
    return exited(requestId, this.#process.exitCode, this.#process.signalCode)
  }

  /** Resolves with whatever happens first. */
  #next(timeoutMs: number): Promise<Signal> {
    const { promise, resolve } = Promise.withResolvers<Signal>()
    let timer = setTimeout(resolve, timeoutMs, "timeout")
    this.#setWaiting = (isWaiting) => {
      clearTimeout(timer)
      if (!isWaiting) timer = setTimeout(resolve, Math.min(timeoutMs, DELIVERY_MS), "timeout")
    }
    const { pid } = this.#process
    const unwatch =
      pid === undefined ? () => undefined : watchMemory(pid, this.#options.memoryMb, () => resolve("memory"))
    this.#notify = resolve
    if (this.#ended) resolve("exit")
    return promise.finally(() => {
      clearTimeout(timer)
      unwatch()
      this.#notify = null
      this.#setWaiting = null
    })
  }

  #listen(): void {
    const reader = new FrameReader(MAX_FRAME_BYTES)
    // Something was written after the process ended; "exit" reports its end.
    this.#channel?.on("error", () => this.#channel?.destroy())
    this.#channel?.on("data", (chunk: Buffer) => {
      const frames = reader.read(chunk)
      // An unexpected frame, or an endless one, would be taken for the answer to another invocation.
      if (frames === null || frames.length > 1 || (frames.length === 1 && this.#notify === null)) this.#kill()
      else if (frames[0] !== undefined) {
        this.#leave?.()
        this.#leave = undefined
        this.#notify?.(frames[0])
        this.#notify = null
      } else if (reader.expectedBytes > LARGE_RESULT_BYTES && this.#prepared) this.#awaitPlace()
    })
  }

  /** Reads on once there is a place for the large result that has begun to arrive. */
  #awaitPlace(): void {
    if (this.#leave !== undefined) return
    this.#setWaiting?.(true)
    this.#channel?.pause()
    this.#leave = this.#options.largeResults.enter(() => {
      this.#setWaiting?.(false)
      this.#channel?.resume()
    })
  }

  #readLines(output: Readable, isStderr: boolean): { flush(): void } {
    return readOutput(output, (line) => {
      if (isStderr) this.#stderrTail = `${this.#stderrTail}\n${line}`.slice(-STDERR_TAIL_CHARACTERS)
      this.#options.onLine(line)
    })
  }

  #kill(): void {
    this.#signal("SIGKILL")
  }

  #signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    const { pid } = this.#process
    if (this.#ended || pid === undefined) return
    try {
      // The whole group, including what a Python function forked. Windows has neither groups nor other signals.
      if (process.platform !== "win32") process.kill(-pid, signal)
      else if (signal === "SIGKILL") this.#process.kill(signal)
    } catch {
      // It has already exited.
    }
  }
}

/** Waits until output is read that was printed before an answer or an exit: one turn of the event loop is enough. */
async function arrivals(): Promise<void> {
  await nextTurn()
  await nextTurn()
}
