import { Worker } from "node:worker_threads"
import { type Solver, type SolverHost, SolverStoppedError } from "./solver.ts"

/** Z3 gets commands on its stack of 20 MB. */
const MAX_CHARACTERS = 4_000_000

interface Thread {
  readonly worker: Worker
  /** Rejects when the thread fails or ends. */
  readonly failed: Promise<never>
}

/**
 * Answers questions with Z3 (WebAssembly), in a thread of its own: it blocks its thread, and only a thread can be stopped
 * in the middle of a question. It is loaded with the first question, and again after one that took too long.
 *
 * @param limitMs the time for one question, of any number of calls, without that for loading Z3
 * @param memoryMb the memory of Z3, at most. Default: 1,024
 */
export function createZ3({
  limitMs,
  memoryMb = 1_024,
}: {
  readonly limitMs: number
  readonly memoryMb?: number
}): SolverHost {
  let current: Thread | null = null

  async function load(): Promise<Thread> {
    const worker = new Worker(new URL("./z3-worker.ts", import.meta.url), { workerData: { memoryMb } })
    const failed = new Promise<never>((_resolve, reject) => {
      const reason = `the solver failed, or needed more than ${memoryMb} MB`
      worker.once("error", (cause) => reject(new SolverStoppedError(reason, { cause })))
      worker.once("exit", () => reject(new SolverStoppedError("The solver ended")))
    })
    failed.catch(() => undefined)
    const thread = { worker, failed }
    // The first message says that it is loaded.
    await Promise.race([nextMessage(worker), failed])
    return thread
  }

  async function end(): Promise<void> {
    const ending = current
    current = null
    await ending?.worker.terminate()
  }

  return {
    async ask(ask) {
      current ??= await load()
      const { worker, failed } = current
      const expired = Promise.withResolvers<never>()
      expired.promise.catch(() => undefined)
      const timer = setTimeout(
        () => expired.reject(new SolverStoppedError(`no answer within ${limitMs / 1_000} seconds`)),
        limitMs,
      )
      const solver: Solver = {
        async run(commands) {
          if (commands.length > MAX_CHARACTERS) throw new SolverStoppedError("the policies are too large")
          const answer = nextMessage(worker)
          worker.postMessage(commands)
          const text = await Promise.race([answer, failed, expired.promise])
          if (text.startsWith("(error") || text.includes("\n(error")) {
            throw new SolverStoppedError("The solver refused the question", { cause: text })
          }
          return text
        },
      }
      try {
        await solver.run("(reset)")
        return await ask(solver)
      } catch (error) {
        // A call of it may still be going on.
        if (error instanceof SolverStoppedError) await end()
        throw error
      } finally {
        clearTimeout(timer)
      }
    },
    close: end,
  }
}

function nextMessage(worker: Worker): Promise<string> {
  return new Promise((resolve) => worker.once("message", (message: unknown) => resolve(String(message))))
}
