import { fork, type Serializable } from "node:child_process"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { fromWorkerSchema, type ToWorker } from "./messages.ts"
import { PARENT_PIPE } from "./parent-pipe.ts"

/** A connection that was accepted, with nothing read from it. */
export interface Connection {
  /** The name of its listener. */
  readonly listener: string
  readonly socket: Socket
}

export interface WorkerProcessOptions {
  /** The module that it runs, which calls `serveAsWorker`. */
  readonly script: URL
  /** Its complete environment. */
  readonly environment: Readonly<Record<string, string>>
  /** The first message to it: over the channel, so that it is in no environment and no arguments. */
  readonly setup: unknown
  /**
   * Called with this process's end of a pipe to each worker, which opens the other one with `openParentPipe`. Default: there
   * is no pipe.
   */
  readonly onPipe?: (pipe: Duplex) => void
  /** How long it may take to be ready. Default: 60,000. */
  readonly startTimeoutMs?: number
  /** How long it may leave all connections in transit untaken. Then it is killed. Default: 10,000. */
  readonly takeTimeoutMs?: number
}

export interface WorkerEvents {
  onReady(): void
  /** Called when it has taken a connection. */
  onTaken(): void
  onLearned(): void
  onReported(report: unknown): void
  /**
   * Called once.
   *
   * @param status its exit status, or the signal that ended it
   * @param left connections that it did not take
   */
  onEnd(status: number | string, left: readonly Connection[]): void
}

/** A worker from its parent's point of view. */
export interface WorkerProcess {
  /** Whether it accepts connections. */
  readonly isReady: boolean
  /** How many connections are in transit to it. */
  readonly onTheirWay: number
  hand(connection: Connection): void
  tell(number: number, change: unknown): void
  /** Whether it has applied the changes up to a number, as far as it was told of them. */
  hasLearned(number: number): boolean
  /** Asks for what it has to report. */
  askReport(number: number): void
  /** Whether it has reported since it was asked with a number. */
  hasReported(number: number): boolean
  /** Lets its current work end, and then the process. */
  drain(): void
  kill(): void
}

const START_TIMEOUT_MS = 60_000
const TAKE_TIMEOUT_MS = 10_000

/** It would use the port of this process's inspector. */
const INSPECTOR_OPTION = /^--inspect/

export function forkWorker(options: WorkerProcessOptions, events: WorkerEvents): WorkerProcess {
  const { script, environment, setup, onPipe } = options
  const { startTimeoutMs = START_TIMEOUT_MS, takeTimeoutMs = TAKE_TIMEOUT_MS } = options
  const onTheirWay = new Map<number, Connection>()
  let isReady = false
  let hasEnded = false
  let handed = 0
  let told = 0
  let learned = 0
  let asked = 0
  let reported = 0
  const child = fork(script, [], {
    env: { ...environment },
    // Node.js would open its inspector on this signal, whoever sends it.
    execArgv: [...process.execArgv.filter((option) => !INSPECTOR_OPTION.test(option)), "--disable-sigusr1"],
    stdio: ["ignore", "inherit", "inherit", "ipc", ...(onPipe === undefined ? [] : ["pipe" as const])],
  })
  const pipe = child.stdio[PARENT_PIPE]
  if (pipe instanceof Socket) onPipe?.(pipe)
  const kill = () => void child.kill("SIGKILL")
  const tooLate = setTimeout(kill, startTimeoutMs)
  /** A hanging worker would keep its connections in transit, and receive more. */
  let hanging: NodeJS.Timeout | undefined

  function expectTaken(): void {
    clearTimeout(hanging)
    if (onTheirWay.size === 0) hanging = undefined
    // In two steps: if this process itself was blocked, it reads the worker's messages after the first one.
    else hanging = setTimeout(() => (hanging = setTimeout(kill, takeTimeoutMs / 2)), takeTimeoutMs / 2)
  }

  function end(status: number | string): void {
    if (hasEnded) return
    hasEnded = true
    isReady = false
    clearTimeout(tooLate)
    clearTimeout(hanging)
    events.onEnd(status, [...onTheirWay.values()])
  }

  /** A message that cannot be sent is useless: the worker is ending. The socket stays open here, too. */
  function send(message: ToWorker & Serializable, socket?: Socket): void {
    child.send(message, socket, { keepOpen: true }, () => undefined)
  }

  /** From now on the connection belongs to the worker alone. */
  function taken(number: number): void {
    onTheirWay.get(number)?.socket.destroy()
    onTheirWay.delete(number)
    expectTaken()
    events.onTaken()
  }

  child.on("message", (received) => {
    const { data: message } = fromWorkerSchema.safeParse(received)
    if (message === undefined) kill()
    else if (message.type === "ready") {
      clearTimeout(tooLate)
      isReady = true
      events.onReady()
    } else if (message.type === "taken") taken(message.number)
    else if (message.type === "learned") {
      learned = message.number
      events.onLearned()
    } else {
      reported = message.number
      events.onReported(message.report)
    }
  })
  child.on("exit", (status, signal) => end(status ?? signal ?? "unknown"))
  // A worker that cannot be reached is useless.
  child.on("disconnect", () => {
    isReady = false
    kill()
  })
  // It could not be started. Anything else that is wrong with it ends it.
  child.on("error", () => {
    if (child.pid === undefined) end("not started")
  })
  send({ type: "setup", setup })

  return {
    get isReady() {
      return isReady
    },
    get onTheirWay() {
      return onTheirWay.size
    },
    hand(connection) {
      handed += 1
      onTheirWay.set(handed, connection)
      if (hanging === undefined) expectTaken()
      send({ type: "connection", number: handed, listener: connection.listener }, connection.socket)
    },
    tell(number, change) {
      told = number
      send({ type: "change", number, change })
    },
    hasLearned: (number) => !isReady || learned >= Math.min(number, told),
    askReport(number) {
      asked = number
      send({ type: "report", number })
    },
    hasReported: (number) => !isReady || reported >= Math.min(number, asked),
    drain: () => send({ type: "drain" }),
    kill,
  }
}
