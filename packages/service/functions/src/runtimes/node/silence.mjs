// Keeps what a process prints out of its log once it has received values of data subjects: erasing a data subject could
// not reach them there. Imported before the customer's code, which may keep a reference to any function of the console.
// python/silence.py does the same.
import fs from "node:fs"
import { devNull } from "node:os"

const NOTICE =
  "This process received values of data subjects. It logs nothing more, so that they can be erased everywhere."
/** What Lambda writes to the log itself, not to the descriptors below. */
const CONSOLE = ["debug", "error", "fatal", "info", "log", "trace", "warn"]

/** The exit codes of Lambda's own listeners. */
const UNCAUGHT = 129
const UNHANDLED = 128

/** The descriptors of standard output and standard error. */
const OUTPUTS = [1, 2]

let isSilent = false

export function silence() {
  if (isSilent) return
  // biome-ignore lint/suspicious/noConsole: it is the log.
  console.log(NOTICE)
  isSilent = true
  closeOutputs()
  // Before Lambda's own listeners, which would log what was thrown.
  process.prependListener("uncaughtException", () => process.exit(UNCAUGHT))
  process.prependListener("unhandledRejection", () => process.exit(UNHANDLED))
}

/** Lets the output lead nowhere, whoever writes to it and how. */
function closeOutputs() {
  for (const output of OUTPUTS) {
    fs.closeSync(output)
    // The system gives the lowest number that is free, unless another thread has just opened a file: that is no output.
    if (fs.openSync(devNull, "w") !== output) process.exit(1)
  }
}

/** Replaces a method by one that does nothing once the process is silent. Everything else of it stays. */
function gate(owner, name) {
  if (typeof owner[name] !== "function") return
  owner[name] = new Proxy(owner[name], {
    apply: (original, self, given) => (isSilent ? undefined : Reflect.apply(original, self, given)),
  })
}

for (const name of CONSOLE) gate(console, name)
