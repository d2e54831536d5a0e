import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { readFile } from "node:fs/promises"
import { createServer } from "node:net"
import { delimiter, dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

export interface Emulator extends AsyncDisposable {
  /** `http://127.0.0.1:4566` */
  readonly endpoint: string
}

const LOG = "emulator.log"
const LAST_CHARACTERS = 20_000

const START_MS = 60_000
const POLL_MS = 250

/** The account of these credentials is the emulator's default. */
export const EMULATOR_CREDENTIALS = { accessKeyId: "test", secretAccessKey: "test" }

/**
 * Starts MiniStack on a free port of loopback. It runs functions with the Node.js of this process.
 *
 * @param folder where it may write
 */
export async function startEmulator(command: string, folder: string): Promise<Emulator> {
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const child = spawn(command, [], {
    cwd: folder,
    env: {
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: folder,
      TMPDIR: folder,
      BIND_HOST: "127.0.0.1",
      GATEWAY_PORT: String(port),
      MINISTACK_HOST: "localhost",
      AWS_ACCESS_KEY_ID: EMULATOR_CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: EMULATOR_CREDENTIALS.secretAccessKey,
      AWS_DEFAULT_REGION: "us-east-1",
    },
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, with the processes that run its functions.
    detached: true,
  })
  const log = createWriteStream(join(folder, LOG))
  child.stdout.pipe(log)
  child.stderr.pipe(log)
  const stop = () => stopGroup(child)
  process.once("exit", () => signal(child, "SIGKILL"))
  try {
    await untilReady(endpoint, child)
  } catch (error) {
    await stop()
    throw error
  }
  return { endpoint, [Symbol.asyncDispose]: stop }
}

/** Returns the last output of an emulator, by its folder. */
export async function lastLines(folder: string): Promise<string> {
  return (await readFile(join(folder, LOG), "utf8").catch(() => "")).slice(-LAST_CHARACTERS)
}

async function untilReady(endpoint: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_MS
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The emulator ended with status ${child.exitCode}.`)
    const answer = await fetch(`${endpoint}/_ministack/health`).catch(() => null)
    if (answer?.ok === true) return
    await sleep(POLL_MS)
  }
  throw new Error("The emulator does not answer.")
}

async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "exit")
    signal(child, "SIGTERM")
    await Promise.race([ended, sleep(5_000)])
  }
  signal(child, "SIGKILL")
}

/** Signals the group that this process has started, and nothing else. */
function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch {
    // All of it has ended.
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("There is no free port")
  return address.port
}
