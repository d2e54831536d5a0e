#!/usr/bin/env node
// Starts the command line. Plain JavaScript, because the machine's own Node.js may be too old for TypeScript: then the
// Node.js that npm installed takes over.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import module from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const self = fileURLToPath(import.meta.url)
const root = join(dirname(self), "../../../..")
// Node.js would open its inspector on this signal, whoever sends it.
process.on("SIGUSR1", () => undefined)
/** Returns freed memory to the system: by default glibc keeps up to 64 MB in each thread's arena. Values set by the user are kept. */
const environment = { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "131072", ...process.env }
if (runsTypeScript(process.versions.node)) {
  // Caches compiled code for the next start. Works without if the cache cannot be written.
  module.enableCompileCache?.(
    process.env.NODE_COMPILE_CACHE ?? join(root, "node_modules", ".cache", "compiled"),
  )
  const { main } = await import("../src/main.ts")
  await main(process)
} else {
  // Only then: an image with a new Node.js does not include the scripts.
  const { ownNodeNeeded, startableNodePackage } = await import("../../../../scripts/brought-node.mjs")
  const brought = startableNodePackage(process)
  const node = brought === null ? null : join(root, "node_modules", brought.name, brought.program)
  if (node !== null && existsSync(node)) handOver(node)
  else {
    process.stderr.write(`${ownNodeNeeded(process.versions.node)}\n`)
    process.exit(1)
  }
}

/** Replaces this process, as far as Node.js can: same streams, signals passed on, same exit status. */
function handOver(node) {
  const child = spawn(node, ["--disable-sigusr1", self, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: environment,
  })
  // A terminal sends Ctrl-C to the child itself; a second signal would interrupt its cleanup.
  process.on("SIGINT", () => {
    if (!process.stdin.isTTY) child.kill("SIGINT")
  })
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)))
  child.on("error", (error) => {
    process.stderr.write(`Node.js could not be started from ${node}: ${error.message}\n`)
    process.exit(1)
  })
}

function runsTypeScript(version) {
  const [major, minor] = version.split(".").map(Number)
  return major > 22 || (major === 22 && minor >= 18)
}
