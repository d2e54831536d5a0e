// Loaded before the service (`--import`): shifts its clock by the milliseconds in a file, and that of the thread that
// writes the tables. That thread would delete what has expired since the folder was made.
import { syncBuiltinESMExports } from "node:module"
import workerThreads from "node:worker_threads"

const { search } = new URL(import.meta.url)
await import(new URL(`../../scripts/torture/shift-clock.mjs${search}`, import.meta.url).href)

workerThreads.Worker = class extends workerThreads.Worker {
  constructor(script, options = {}) {
    super(script, { ...options, execArgv: [...(options.execArgv ?? []), "--import", import.meta.url] })
  }
}
syncBuiltinESMExports()
