import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

export const ROOT = resolve(import.meta.dirname, "..", "..")

/** `npm start` as a user runs it, without npm. */
export interface StartedProcess {
  readonly child: ChildProcess
  /** Returns all of standard output and standard error so far. */
  stdout(): string
  stderr(): string
  /** Resolves when standard output matches. Rejects when the process ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends a signal and resolves to the exit status. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  /** Resolves to the exit status. */
  ended(): Promise<number | null>
}

export interface Ready {
  readonly url: string
  readonly relayUrl: string
  readonly proxyUrl: string
  readonly strictProxyUrl: string
  readonly caUrl: string
  readonly dataFolder: string
  readonly teamId: string
  readonly teamKey: string
  readonly apps: readonly { readonly id: string; readonly environment: string; readonly apiKey: string }[]
}

export function start(args: readonly string[], cwd = ROOT): StartedProcess {
  const script = join(ROOT, "scripts", "run.mjs")
  return startProgram([process.execPath, script, "packages/hosts/local/src/main.ts", ...args], cwd)
}

/** @param command a program and its arguments */
export function startProgram([program = "", ...args]: readonly string[], cwd = ROOT): StartedProcess {
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
  const output = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text
  })
  const end = once(child, "close")
  const ended = async () => {
    await end
    return child.exitCode
  }
  return {
    child,
    ended,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    async until(pattern) {
      for (;;) {
        const match = pattern.exec(output.stdout)
        if (match !== null) return match
        const how = child.exitCode ?? child.signalCode
        if (how !== null) throw new Error(`It ended with ${how}: ${output.stderr}`)
        await Promise.race([once(child.stdout, "data"), end])
      }
    },
    stop(signal = "SIGINT") {
      child.kill(signal)
      return ended()
    },
  }
}

/** Starts with `--json`, a free port and, unless `args` say otherwise, no workers, and reads the line that says it is ready. */
export async function startReady(
  dataFolder: string,
  args: readonly string[] = [],
): Promise<StartedProcess & { ready: Ready }> {
  return whenReady(start(["--json", "--port", "0", "--workers", "1", "--data", dataFolder, ...args]))
}

/** Reads the line that a process with `--json` prints when it is ready. */
export async function whenReady(process: StartedProcess): Promise<StartedProcess & { ready: Ready }> {
  const [line] = await process.until(/^\{.*\}\n/)
  return { ...process, ready: JSON.parse(line) as Ready }
}

/** Runs `use` with a folder that is deleted afterwards. */
export async function withFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-"))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
