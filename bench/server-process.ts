import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { MEMORY_ENVIRONMENT, serviceFlagsOf } from "../scripts/node-flags.mjs"

/** A server in a separate process, so that it shares no thread with the measurement. */
export interface ServerProcess {
  readonly pid: number
  /** Resolves to the next line of standard output, as JSON. */
  nextLine(): Promise<unknown>
  writeLine(line: string): void
  stop(): void
}

export interface SealwayOptions {
  /** Default: null, it keeps everything in memory. */
  readonly dataFolder?: string | null
  /** See `LocalServiceOptions`. */
  readonly enclaveRoot?: string | null
}

/** Starts Sealway with the flags and the environment that `npm start` gives Node.js. */
export function startSealway({ dataFolder = null, enclaveRoot = null }: SealwayOptions = {}): ServerProcess {
  return startServer(
    "sealway-server.ts",
    [JSON.stringify({ dataFolder, enclaveRoot })],
    serviceFlagsOf(process.versions.node),
    MEMORY_ENVIRONMENT,
  )
}

/**
 * @param script relative to this folder
 * @param flags of Node.js
 * @param environment besides this process's
 */
export function startServer(
  script: string,
  options: readonly string[] = [],
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): ServerProcess {
  const path = fileURLToPath(new URL(script, import.meta.url))
  return startProgram(process.execPath, [...flags, path, ...options], environment)
}

/** Starts another program than Node.js. @param environment besides this process's */
export function startProgram(
  program: string,
  options: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ServerProcess {
  const child: ChildProcessWithoutNullStreams = spawn(program, options, {
    env: { ...process.env, ...environment },
  })
  const lines = createLineQueue(child)
  child.stderr.pipe(process.stderr)
  return {
    pid: child.pid ?? 0,
    nextLine: async () => JSON.parse(await lines.next()),
    writeLine: (line) => child.stdin.write(`${line}\n`),
    stop: () => child.kill(),
  }
}

function createLineQueue(child: ChildProcessWithoutNullStreams): { next(): Promise<string> } {
  const ready: string[] = []
  const waiting: { resolve(line: string): void; reject(error: Error): void }[] = []
  let rest = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const reader = waiting.shift()
      if (reader === undefined) ready.push(line)
      else reader.resolve(line)
    }
  })
  const end = () => {
    for (const { reject } of waiting) reject(new Error("The server has ended"))
  }
  child.on("exit", end).on("error", end)
  return {
    next() {
      const line = ready.shift()
      if (line !== undefined) return Promise.resolve(line)
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    },
  }
}
