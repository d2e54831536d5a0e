import { createTurns } from "../turns.ts"
import { SWEEP_INTERVAL_MS, type WriteEngine } from "./write-engine.ts"
import type { Writer } from "./writer.ts"

/** Writes on the caller's thread: a database in memory has only one connection, and no disk to wait for. */
export function inMemoryWriter(engine: WriteEngine): Writer {
  const sweeping = setInterval(() => engine.sweep(), SWEEP_INTERVAL_MS)
  sweeping.unref()
  const inTurn = createTurns(() => performance.now())
  return {
    write: (write) =>
      inTurn(() => {
        const [reply] = engine.write([write])
        if (reply === undefined) throw new TypeError("Each write has a reply")
        return reply
      }),
    async close() {
      clearInterval(sweeping)
      engine.close()
    },
  }
}
