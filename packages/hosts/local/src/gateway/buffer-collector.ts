import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** How much passes between two collections. */
const COLLECTED_BYTES = 4 * 1024 * 1024

/**
 * Returns a function that is told how many bytes have passed through this process, and collects the young generation
 * (in about a millisecond) after every 4 MiB. Node.js reads each 64 KiB into a new buffer. V8 does not count buffers when
 * it decides whether to collect young garbage, and would let more than 100 MiB of them accumulate.
 */
export function createBufferCollector(): (bytes: number) => void {
  setFlagsFromString("--expose-gc")
  const collect: unknown = runInNewContext("gc")
  if (typeof collect !== "function") throw new TypeError("V8 has no gc")
  let left = COLLECTED_BYTES
  return (bytes) => {
    left -= bytes
    if (left > 0) return
    left = COLLECTED_BYTES
    collect({ type: "minor" })
  }
}
