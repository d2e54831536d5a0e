import { SWEEP_INTERVAL_MS, type WriteEngine } from "./write-engine.ts"
import type { Writer } from "./writer.ts"

/** Writes at once, in the thread of the caller: a database in memory has one connection only, and nothing to wait for. */
export function inMemoryWriter(engine: WriteEngine): Writer {
  const sweeping = setInterval(() => engine.sweep(), SWEEP_INTERVAL_MS)
  sweeping.unref()
  return {
    async write(operation, body) {
      const [reply] = engine.write([{ operation, body }])
      if (reply === undefined) throw new TypeError("Each write has a reply")
      return reply
    },
    async close() {
      clearInterval(sweeping)
      engine.close()
    },
  }
}
