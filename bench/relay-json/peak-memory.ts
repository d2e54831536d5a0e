import { readFileSync } from "node:fs"
import { createSealer, replaceSelected } from "./document.ts"

// Usage: node peak-memory.ts TASK INPUT. Seals values of a JSON body and prints by how many bytes it raised the peak of
// resident memory.
const [task = "", input = ""] = process.argv.slice(2)

const SELECTORS: ReadonlyMap<string, string> = new Map([
  ["names", "$.patients.*.name"],
  ["everything", "$..*"],
])

const selector = SELECTORS.get(task)
if (selector === undefined) throw new TypeError(`There is no task ${task}`)
const seal = createSealer()
const bytes = readFileSync(input)
const before = peakBytes()
replaceSelected(bytes, selector, seal)
console.log(peakBytes() - before)

/**
 * Linux counts `maxRSS` of a new process from the peak of the one that started it; `VmHWM` is its own (proc(5)).
 */
function peakBytes(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? []
  return Number(kibibytes) * 1024
}
