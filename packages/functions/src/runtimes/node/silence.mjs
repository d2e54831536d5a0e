// Keeps what a process prints out of its log once it has received values of data subjects: erasing a data subject could
// not reach them there. Imported before the customer's code, which may keep a reference to any of these functions.
// python/silence.py does the same.
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const NOTICE =
  "This process received values of data subjects. It logs nothing more, so that they can be erased everywhere."
/** Those that Lambda writes to the log itself, and those that print to the streams below. */
const CONSOLE = ["debug", "error", "fatal", "info", "log", "trace", "warn"]

/** The exit codes of Lambda's own listeners. */
const UNCAUGHT = 129
const UNHANDLED = 128

let isSilent = false

export function silence() {
  if (isSilent) return
  // biome-ignore lint/suspicious/noConsole: it is the log.
  console.log(NOTICE)
  isSilent = true
  // Before Lambda's own listeners, which would log what was thrown.
  process.prependListener("uncaughtException", () => process.exit(UNCAUGHT))
  process.prependListener("unhandledRejection", () => process.exit(UNHANDLED))
}

/** Replaces a method by one that calls `instead` once the process is silent. Everything else of it stays. */
function gate(owner, name, instead) {
  if (typeof owner[name] !== "function") return
  owner[name] = new Proxy(owner[name], {
    apply: (original, self, given) =>
      isSilent
        ? instead(given, () => Reflect.apply(original, self, given))
        : Reflect.apply(original, self, given),
  })
}

for (const name of CONSOLE) gate(console, name, () => undefined)
for (const stream of [process.stdout, process.stderr]) {
  gate(stream, "write", (given) => {
    callBack(given, null)
    return true
  })
}
// Logging libraries write to the descriptors.
for (const name of ["write", "writev"]) {
  gate(fs, name, (given, write) =>
    isOutput(given[0]) ? callBack(given, null, sizeOf(given[1]), given[1]) : write(),
  )
}
for (const name of ["writeSync", "writevSync"]) {
  gate(fs, name, (given, write) => (isOutput(given[0]) ? sizeOf(given[1]) : write()))
}
syncBuiltinESMExports()

function isOutput(descriptor) {
  return descriptor === 1 || descriptor === 2
}

function sizeOf(data) {
  return Array.isArray(data) ? data.reduce((sum, each) => sum + each.byteLength, 0) : Buffer.byteLength(data)
}

function callBack(given, ...results) {
  const done = given.at(-1)
  if (typeof done === "function") process.nextTick(done, ...results)
}
