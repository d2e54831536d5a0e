import { createReadStream, createWriteStream, readFileSync } from "node:fs"
import { pipeline } from "node:stream/promises"
import { rewriteMultipart } from "@sealway/relay-engine/testing"
import { sealFileStream } from "@sealway/tokens"
import { BOUNDARY, createKey, createSealer, replaceSelected } from "./document.ts"

// Usage: node peak-memory.ts TASK INPUT OUTPUT. Encrypts values of a body and prints by how many bytes it raised the
// peak of resident memory.
const [task = "", input = "", output = ""] = process.argv.slice(2)

const TASKS = new Map<string, () => () => unknown>([
  ["names", replaceIn("$.patients.*.name")],
  ["everything", replaceIn("$..*")],
  ["file", encryptFile],
])

const prepare = TASKS.get(task)
if (prepare === undefined) throw new TypeError(`There is no task ${task}`)
const run = prepare()
const before = peakBytes()
await run()
console.log(peakBytes() - before)

/** Returns a task over a body that is in memory before the task starts. */
function replaceIn(selector: string): () => () => Buffer {
  return () => {
    const seal = createSealer()
    const bytes = readFileSync(input)
    return () => replaceSelected(bytes, selector, seal)
  }
}

function encryptFile(): () => Promise<void> {
  const key = createKey()
  return () => {
    const body = rewriteMultipart(createReadStream(input), BOUNDARY, ({ filename }) =>
      filename === null ? "pass" : { file: (content) => sealFileStream(content, key) },
    )
    return pipeline(body, createWriteStream(output))
  }
}

/**
 * Returns the peak of resident memory. Linux counts `maxRSS` of a new process from the peak of its parent; `VmHWM` is
 * its own (proc(5)).
 */
function peakBytes(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? []
  return Number(kibibytes) * 1024
}
