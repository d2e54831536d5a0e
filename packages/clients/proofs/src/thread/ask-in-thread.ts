import { Worker } from "node:worker_threads"
import { errorCodeOf } from "@sealway/kernel"
import type {
  AccessQuestion,
  ChangeAnswer,
  ChangeQuestion,
  RequestsDescription,
} from "@sealway/policies/analysis"

/** The most that the solver of a thread takes, beyond which its question is not decided. */
const SOLVER_MB = 128
/** The most that the thread takes besides. */
const HEAP_MB = 96
/** What a question may take. */
export const THREAD_BYTES = (SOLVER_MB + HEAP_MB) * 1_000_000

export interface ThreadLimits {
  /** The time for each of a question's parts, without that for loading the solver. */
  readonly limitMs: number
  /** The time for everything, after which the thread is ended. */
  readonly totalMs: number
}

/** What a thread is created with. */
export interface ProverTask {
  readonly question: AccessQuestion | ChangeQuestion
  readonly limitMs: number
  readonly solverMemoryMb: number
}

export interface ThreadAnswer {
  readonly access?: RequestsDescription
  readonly change?: ChangeAnswer
}

/** Asks who can ever decrypt values of a role, in a thread of its own. Rejects with the reason of the signal. */
export async function accessInThread(
  question: AccessQuestion,
  limits: ThreadLimits,
  signal: AbortSignal,
): Promise<RequestsDescription> {
  const answer = await askInThread(question, limits, signal)
  return typeof answer === "string" ? unknown(answer) : (answer.access ?? unknown(FAILED))
}

/** Asks what a change of a role's policies means, in a thread of its own. Rejects with the reason of the signal. */
export async function changeInThread(
  question: ChangeQuestion,
  limits: ThreadLimits,
  signal: AbortSignal,
): Promise<ChangeAnswer> {
  const answer = await askInThread(question, limits, signal)
  const reason = typeof answer === "string" ? answer : FAILED
  const none = { permitted: unknown(reason), refused: unknown(reason), warnings: [] }
  return typeof answer === "string" ? none : (answer.change ?? none)
}

const unknown = (reason: string): RequestsDescription => ({ known: false, reason })

const FAILED = "the solver failed"
const TOO_LARGE = "it takes too much memory"

/**
 * Starts a thread, which reads the policies, loads Cedar and the solver, and ends with its answer: nothing of it blocks
 * this thread, or stays in memory. Resolves to the reason when there is no answer.
 */
function askInThread(
  question: ProverTask["question"],
  { limitMs, totalMs }: ThreadLimits,
  signal: AbortSignal,
): Promise<ThreadAnswer | string> {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer | string>()
  if (signal.aborted) return Promise.reject(signal.reason)
  const task: ProverTask = { question, limitMs, solverMemoryMb: SOLVER_MB }
  const worker = new Worker(new URL("./prover-thread.ts", import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  const timer = setTimeout(() => resolve(`no answer within ${totalMs / 1_000} seconds`), totalMs)
  const leave = () => reject(signal.reason)
  signal.addEventListener("abort", leave, { once: true })
  worker.once("message", (answer: ThreadAnswer) => resolve(answer))
  worker.once("error", (error: unknown) => {
    if (errorCodeOf(error) === "ERR_WORKER_OUT_OF_MEMORY") resolve(TOO_LARGE)
    else reject(error)
  })
  worker.once("exit", () => resolve(FAILED))
  return promise.finally(async () => {
    clearTimeout(timer)
    signal.removeEventListener("abort", leave)
    await worker.terminate()
  })
}
