// Acts as Sealway in a process of its own: hosts functions at one level of confinement, with files, sockets,
// processes and descriptors that a function must not reach, lets functions try, and prints the result of each attempt.
// Started by escapes.test.ts.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdtemp, readdir, readFile, realpath, rm, stat, utimes, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { openTables } from "@sealway/local/open-tables"
import { CONFINED_LEVELS } from "@sealway/local/testing/functions"
import { TABLES } from "@sealway/ports"
import { deploy, invoke, type Language, startHost } from "../local-host.ts"
import { ATTEMPTS } from "./attempts.ts"

/** The result of an attempt. */
export interface AttemptResult {
  readonly language: Language
  readonly title: string
  /** What the function itself reports. */
  readonly says: unknown
  /** What is different outside. */
  readonly harm: readonly string[]
}

export interface AttemptResults {
  readonly level: string
  readonly results: readonly AttemptResult[]
}

const HANDLERS: Readonly<Record<Language, readonly [file: string, source: string]>> = {
  node: [
    "main.mjs",
    `
    import * as childProcess from "node:child_process"
    import * as fs from "node:fs"
    import * as inspector from "node:inspector"
    import * as net from "node:net"
    import * as os from "node:os"
    import * as workers from "node:worker_threads"
    const m = { childProcess, fs, inspector, net, os, workers }
    export const handler = async ({ code, p }) => {
      const attempt = new (async () => {}).constructor("p", "m", code)
      try { return (await attempt(p, m)) ?? null } catch (error) { return { refused: error.code ?? error.name } }
    }`,
  ],
  python: [
    "main.py",
    `
import ctypes, errno, fcntl, os, pathlib, resource, signal, socket, stat, struct, subprocess, textwrap
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    answer = libc.syscall(number, *arguments)
    if answer == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return answer
def knock(number, *arguments):
    try:
        call(number, *arguments)
    except OSError as error:
        if error.errno in (errno.EPERM, errno.ENOSYS): raise
    return "reached"
def handler(p, c):
    scope = dict(globals())
    exec("def attempt(p):\\n" + textwrap.indent(p["code"], "    "), scope)
    try:
        return scope["attempt"](p["p"])
    except Exception as error:
        return {"refused": type(error).__name__}`,
  ],
}

const level = CONFINED_LEVELS.filter((each) => each === process.argv[2])
const folder = await mkdtemp(join(await realpath(tmpdir()), "sealway-escapes-"))
const file = join(folder, "credentials.json")
const streams = join(folder, "stream.sock")
const abstractSocket = `sealway-escapes-${process.pid}`
const connections: string[] = []
const PAST = new Date(1_600_000_000_000)

const stopped: ChildProcess[] = []
const bystander = startBystander()
for (const path of [streams, `\0${abstractSocket}`]) {
  const server = createServer(() => connections.push(path)).unref()
  server.listen(path)
  await once(server, "listening")
}
// Its files are open while functions are started.
const database = await openTables(join(folder, "dynamodb"), TABLES, () => undefined)
// Never unconfined: some attempts would then signal every process of the machine.
const { host, isolation } = await startHost({
  folder: join(folder, "lambda"),
  confinementLevels: level,
  unconfinedFunctions: false,
})
await layOut()
// It empties its log when nothing has been written for a while.
while ((await stat(join(folder, "dynamodb", "tables.db-wal"))).size > 0) await delay(50)
const database0 = await sizesOf(join(folder, "dynamodb"))

const languages: readonly Language[] = ["node", "python"]
const results: AttemptResult[] = []
for (const language of languages.filter((each) => isolation.languages.includes(each))) {
  const [name, source] = HANDLERS[language]
  const files = { [name]: source, "code.txt": "code" }
  await deploy(host, language, language, name, files, { timeoutSeconds: 10 })
  const code = join(await codeFolderOf(language), "code.txt")
  const code0 = await descriptionOf(code)
  for (const { title, [language]: body } of ATTEMPTS) {
    if (body === undefined) continue
    const p = {
      sealway: process.pid,
      uid: process.getuid?.(),
      bystander: bystander.pid,
      folder,
      file,
      code,
      socket: streams,
      abstractSocket,
    }
    const { kind, answer } = await invoke(host, language, {
      payload: { code: body, p },
      context: { functionName: language, runId: "r", app: "a", publicKey: {} },
    })
    results.push({
      language,
      title,
      says: Reflect.get(Object(answer), "result") ?? answer ?? { ended: kind },
      harm: await harm(code, code0),
    })
  }
}
process.stdout.write(JSON.stringify({ level: isolation.confinement, results } satisfies AttemptResults))
await host.close()
await database.close()
bystander.kill("SIGKILL")
await rm(folder, { recursive: true, force: true })
process.exit(0)

function startBystander(): ChildProcess {
  return spawn("sleep", ["600"], { stdio: "ignore", detached: true }).on("exit", () =>
    stopped.push(bystander),
  )
}

/** Writes the files that attempts try to reach. */
async function layOut(): Promise<void> {
  await writeFile(file, "secret")
  await chmod(file, 0o600)
  await utimes(file, PAST, PAST)
}

async function codeFolderOf(name: string): Promise<string> {
  const [own = ""] = (await readdir(join(folder, "lambda"))).filter((each) => each.startsWith(`${name}.`))
  return join(folder, "lambda", own, "code")
}

async function descriptionOf(path: string): Promise<string> {
  const { mode, uid, gid, mtimeMs, nlink } = await stat(path)
  return JSON.stringify([mode, uid, gid, mtimeMs, nlink, await readFile(path, "utf8")])
}

async function sizesOf(path: string): Promise<string> {
  const sizes: string[] = []
  for (const name of (await readdir(path)).sort())
    sizes.push(`${name} ${(await stat(join(path, name))).size}`)
  return sizes.join()
}

/** Returns what attempts have changed, and restores it for the next. */
async function harm(code: string, code0: string): Promise<string[]> {
  const found: string[] = []
  if (stopped.length > 0) found.push("the bystander was killed")
  if (process.debugPort !== 9229 || (await isOpen(9229))) found.push("the inspector is open")
  const expected = ["credentials.json", "dynamodb", "lambda", "stream.sock"]
  const names = (await readdir(folder)).sort()
  if (names.join() !== expected.join()) found.push(`the folder holds ${names}`)
  for (const path of ["/tmp/sealway-escape", "/dev/shm/sealway-escape"]) {
    if (await stat(path).catch(() => null)) found.push(`${path} was made`)
  }
  const own = await descriptionOf(file).catch(() => "")
  if (own !== JSON.stringify([0o100600, process.getuid?.(), process.getgid?.(), PAST.getTime(), 1, "secret"]))
    found.push(`the user's file changed: ${own}`)
  if ((await descriptionOf(code).catch(() => "")) !== code0) found.push("the code changed")
  if ((await sizesOf(join(folder, "dynamodb"))) !== database0) found.push("the database changed")
  if (connections.length > 0) found.push(`connections to ${connections.splice(0)}`)
  if (/^\s*24225/m.test(await readFile("/proc/sysvipc/shm", "utf8"))) found.push("shared memory was left")
  return found
}

async function isOpen(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/json/version`).then(
    () => true,
    () => false,
  )
}
