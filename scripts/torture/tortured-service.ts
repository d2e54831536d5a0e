import { once } from "node:events"
import { rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Ready, ROOT, type StartedProcess, startProgram, whenReady } from "../../test/support/start.ts"

/** The service as a process over a data folder, which stops and starts while clients use it. */
export interface TorturedService {
  start(dataFolder: string): Promise<void>
  /** Resolves when nothing is left of the process. */
  kill(): Promise<void>
  /** Lets it finish its work. */
  stop(): Promise<void>
  /** Stops it at once; everything it has acknowledged by now was acknowledged before this returned. */
  pause(): void
  isRunning(): boolean
  /** Resolves to how it can be reached, once it can be. */
  ready(): Promise<Ready>
  /** Moves its clock, now or while it is down. */
  shiftClock(byMs: number): Promise<void>
  /** Returns how far its clock is ahead of the machine's. */
  clockOffset(): number
  /** Returns its standard error, of all processes so far. */
  log(): string
}

export function createTorturedService(workFolder: string): TorturedService {
  const offsetFile = join(workFolder, "clock-offset")
  let [offset, log] = [0, ""]
  let running: StartedProcess | null = null
  let isReachable = false
  // Callers that wait for it while it starts continue to wait when that fails.
  let reachable = Promise.withResolvers<Ready>()

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = running
    if (ending === null) return
    running = null
    if (isReachable) reachable = Promise.withResolvers<Ready>()
    isReachable = false
    // Not until its output is closed, which programs that it has started may hold open for longer.
    const exited = once(ending.child, "exit")
    if (ending.child.kill(signal)) await exited
    log += ending.stderr()
  }

  return {
    async start(dataFolder) {
      const preload = `${pathToFileURL(join(import.meta.dirname, "shift-clock.mjs")).href}?file=${encodeURIComponent(offsetFile)}`
      const service = ["packages/hosts/local/src/main.ts", "--json", "--port", "0", "--data", dataFolder]
      const started = startProgram([
        process.execPath,
        "--import",
        preload,
        join(ROOT, "scripts", "run.mjs"),
        ...service,
      ])
      running = started
      const { ready } = await whenReady(started)
      isReachable = true
      reachable.resolve(ready)
    },
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    pause: () => void running?.child.kill("SIGSTOP"),
    isRunning: () => running !== null,
    ready: () => reachable.promise,
    async shiftClock(byMs) {
      offset += byMs
      await writeFile(`${offsetFile}.new`, String(offset))
      await rename(`${offsetFile}.new`, offsetFile)
    },
    clockOffset: () => offset,
    log: () => log + (running?.stderr() ?? ""),
  }
}

/** The part of it that sending requests needs. */
export type Reachable = Pick<TorturedService, "ready">
