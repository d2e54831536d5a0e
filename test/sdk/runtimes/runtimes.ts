import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { setTimeout } from "node:timers/promises"
import { findChromium, startChromium } from "../../support/chromium.ts"
import { bundleSuite } from "./bundle-suite.ts"
import type { SuiteInput } from "./suite.ts"

/** A runtime that the suite can run on. */
export interface Runtime {
  readonly name: string
  /** Whether it is a page, which has no API key. */
  readonly isPage: boolean
  /** Null: it is not on this machine. */
  readonly program: string | null
  /** @returns what the suite returns, as JSON */
  run(program: string, input: SuiteInput): Promise<string>
}

const MODULES = join(import.meta.dirname, "../../../node_modules")

export const RUNTIMES: readonly Runtime[] = [
  {
    name: "Node.js",
    isPage: false,
    program: process.execPath,
    run: (program, input) => runProgram(program, [], input),
  },
  {
    name: "Deno",
    isPage: false,
    program: packaged("@deno/linux-x64-glibc/deno"),
    run: (program, input) =>
      runProgram(
        program,
        ["run", "--no-config", "--no-remote", "--no-npm", "--no-prompt", "--allow-net=127.0.0.1"],
        input,
      ),
  },
  {
    name: "Bun",
    isPage: false,
    program: packaged("@oven/bun-linux-x64/bin/bun"),
    run: (program, input) => runProgram(program, ["run", "--no-install"], input),
  },
  {
    name: "workerd",
    isPage: false,
    program: packaged("@cloudflare/workerd-linux-64/bin/workerd"),
    run: runWorker,
  },
  { name: "Chromium", isPage: true, program: findChromium(), run: runPage },
]

function packaged(path: string): string | null {
  const program = join(MODULES, path)
  return existsSync(program) ? program : null
}

async function runProgram(program: string, args: readonly string[], input: SuiteInput): Promise<string> {
  await using folder = await temporaryFolder()
  const file = join(folder.path, "suite.mjs")
  await writeFile(file, await bundleSuite("program"))
  const child = spawn(program, [...args, file], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: folder.path, DENO_DIR: folder.path, NO_COLOR: "1" },
  })
  child.stdin.end(JSON.stringify(input))
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  if (child.exitCode !== 0) throw new Error(`The suite failed: ${errors}`)
  return output
}

const WORKER_CONFIGURATION = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.mjs")],
      compatibilityDate = "2025-05-01",
    )),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);`

/** The descriptor on which workerd says where it listens. */
const CONTROL = 3

async function runWorker(program: string, input: SuiteInput): Promise<string> {
  await using folder = await temporaryFolder()
  const file = join(folder.path, "config.capnp")
  await writeFile(file, WORKER_CONFIGURATION)
  await writeFile(join(folder.path, "worker.mjs"), await bundleSuite("worker"))
  const worker = spawn(program, ["serve", file, `--control-fd=${CONTROL}`], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  })
  const errors = text(worker.stderr as Readable)
  const ended = once(worker, "close")
  try {
    const port = await portOf(worker.stdio[CONTROL] as Readable)
    if (port === null) throw new Error(`workerd does not start: ${await errors}`)
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(input) })
    if (!response.ok) throw new Error(`The suite failed: ${await response.text()}`)
    return await response.text()
  } finally {
    worker.kill("SIGKILL")
    await ended
  }
}

async function portOf(control: Readable): Promise<number | null> {
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line) as { event: string; port: number }
    if (event === "listen") return port
  }
  return null
}

async function runPage(program: string, input: SuiteInput): Promise<string> {
  const script = await bundleSuite("page")
  const server = createServer(({ url }, response) => {
    const isScript = url === "/suite.js"
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html")
    response.end(isScript ? script : "<!doctype html><meta charset=utf-8><title>Suite</title>")
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  try {
    await using browser = await startChromium(program)
    const address = addressOf(server.address())
    const page = await browser.open(address)
    // The page is not there yet when the tab is.
    while ((await page.evaluate("location.href")) !== address) await setTimeout(10)
    const run = `import("/suite.js").then(() => runSuite(${JSON.stringify(input)}))`
    return JSON.stringify(await page.evaluate(run))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

function addressOf(address: ReturnType<ReturnType<typeof createServer>["address"]>): string {
  if (typeof address !== "object" || address === null) throw new Error("The page has no address")
  return `http://127.0.0.1:${address.port}/`
}

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "sealway-runtime-"))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) }
}
