// Runs a script of this project: installs what the lockfile requires when it is missing, then hands over to the Node.js
// that npm installed. Plain JavaScript, because the machine's own Node.js may be too old for TypeScript.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import module from "node:module"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { ownNodeNeeded, runsTypeScript, startableNodePackage } from "./brought-node.mjs"
import { install, isInstalled, noteRunning } from "./installation.mjs"
import { MEMORY_ENVIRONMENT, SERVICE_FLAGS, serviceFlagsOf } from "./node-flags.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** An argument for the process that takes over, which must not look for another one again. */
const HANDED_OVER = "--handed-over"
const isHandedOver = process.argv[2] === HANDED_OVER
const [script, ...args] = process.argv.slice(isHandedOver ? 3 : 2)
if (script === undefined) {
  console.error("usage: node scripts/run.mjs SCRIPT [ARGUMENT ...]")
  process.exit(2)
}
const target = resolve(root, script)
/** The product itself, unlike its tests and checks, does not need the packages only for development, which are most. */
const isProduct = script.startsWith("packages/")

// Node.js would open its inspector on this signal, which other users' processes may be able to send.
process.on("SIGUSR1", () => undefined)
const brought = startableNodePackage(process)
const isNewEnough = runsTypeScript(process.versions.node)
// Before anything is installed: it could not run.
if (brought === null && !isNewEnough) {
  console.error(ownNodeNeeded(process.versions.node))
  process.exit(1)
}
if (!isInstalled(root, { isProduct, neededPackage: isNewEnough ? null : brought.name })) {
  console.error("Installing dependencies (once) ...")
  const problem = install(root, isProduct)
  if (problem !== null) {
    console.error(problem)
    process.exit(1)
  }
}
// Node.js need not compile again what it has compiled once, neither at the next start nor in child processes.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules", ".cache", "compiled")
if (process.env.npm_lifecycle_event !== undefined) endWithNpm()

const broughtNode = brought === null ? null : join(root, "node_modules", brought.name, brought.program)

if (
  !isHandedOver &&
  broughtNode !== null &&
  existsSync(broughtNode) &&
  resolve(process.execPath) !== broughtNode
) {
  handOver(broughtNode)
} else if (!isNewEnough) {
  console.error(
    `npm has not installed ${brought.name}, which brings Node.js. ${ownNodeNeeded(process.versions.node)}`,
  )
  process.exit(1)
} else if (isProduct && !isHandedOver && canBecome()) {
  becomeService()
} else {
  module.enableCompileCache?.()
  if (isProduct) noteRunning(root)
  process.argv = [process.execPath, target, ...args]
  await import(pathToFileURL(target).href)
}

/**
 * Ends this process with npm, which passes on no signal but a terminal's: when npm is ended by its process id, the
 * script would continue.
 */
function endWithNpm() {
  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM")
  }, 500)
  check.unref()
}

/** Whether this Node.js can replace itself with another program. */
function canBecome() {
  return process.platform !== "win32" && typeof process.execve === "function"
}

/** Restarts with the flags and the environment of the service, in the same process. */
function becomeService() {
  const own = fileURLToPath(import.meta.url)
  const flags = [...process.execArgv, ...flagsWith(serviceFlagsOf(process.versions.node))]
  process.execve(
    process.execPath,
    [process.execPath, ...flags, own, HANDED_OVER, script, ...args],
    environmentOf(),
  )
}

function flagsWith(serviceFlags) {
  return ["--disable-sigusr1", ...(isProduct ? serviceFlags : [])]
}

/** Returns the environment to start with. Variables that the user has set win. */
function environmentOf() {
  return isProduct ? { ...MEMORY_ENVIRONMENT, ...process.env } : process.env
}

/** Replaces this process, as far as Node.js can: same streams, signals passed on, same exit status. */
function handOver(node) {
  const own = fileURLToPath(import.meta.url)
  const child = spawn(node, [...flagsWith(SERVICE_FLAGS), own, HANDED_OVER, script, ...args], {
    stdio: "inherit",
    env: environmentOf(),
  })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)))
  child.on("error", (error) => {
    console.error(`Node.js could not be started from ${node}: ${error.message}`)
    process.exit(1)
  })
}
