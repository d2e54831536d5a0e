import { hash } from "node:crypto"
import { ApiError, type Cache, createCache, type Task } from "@sealway/kernel"
import type {
  AccessQuestion,
  ChangeAnswer,
  ChangeQuestion,
  PolicyProver,
  Proved,
  RequestsDescription,
} from "@sealway/policies"
import { accessInThread, changeInThread, THREAD_BYTES, type ThreadLimits } from "@sealway/proofs/thread"

/** What decides a question in a thread; see `@sealway/proofs/thread`. */
export interface ProverThreads {
  access(question: AccessQuestion, limits: ThreadLimits, signal: AbortSignal): Promise<RequestsDescription>
  change(question: ChangeQuestion, limits: ThreadLimits, signal: AbortSignal): Promise<ChangeAnswer>
  /** What a question may take. */
  readonly bytes: number
}

export interface ProverOptions {
  /** Default: those of `@sealway/proofs/thread`. */
  readonly threads?: ProverThreads
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
}

const THREADS: ProverThreads = { access: accessInThread, change: changeInThread, bytes: THREAD_BYTES }

/** A request is answered before its gateway gives up, after 30 seconds, of which it may have waited 10 for memory. */
const TOTAL_MS = 19_000
const ACCESS_LIMITS: ThreadLimits = { limitMs: 10_000, totalMs: TOTAL_MS }
/** A change is three questions. */
const CHANGE_LIMITS: ThreadLimits = { limitMs: 6_000, totalMs: TOTAL_MS }

const MAX_ANSWERS = 500
const MAX_ANSWERS_CHARACTERS = 8_000_000
/** What is true of all requests from a time on stays true; but then "until" a time may lie in the past. */
const ANSWER_TTL_MS = 10 * 60_000

/**
 * Creates what decides questions about all requests on this machine: one at a time for each app, as many as there is
 * memory for, and none twice for the same policies.
 */
export function createProver({ threads = THREADS, now }: ProverOptions): PolicyProver {
  const answersOf = <Answer extends object>(): Cache<Proved<Answer>> =>
    createCache<Proved<Answer>>({
      maxEntries: MAX_ANSWERS,
      ttlMs: ANSWER_TTL_MS,
      now,
      weight: { max: MAX_ANSWERS_CHARACTERS, weigh: (answer) => JSON.stringify(answer).length },
    })
  const accesses = answersOf<{ readonly access: RequestsDescription }>()
  const changes = answersOf<ChangeAnswer>()
  /** Apps of which a question is being decided. */
  const asking = new Set<string>()

  async function decide<Answer extends object>(
    answers: Cache<Proved<Answer>>,
    appId: string,
    { nowMs, ...question }: AccessQuestion | ChangeQuestion,
    task: Task,
    ask: () => Promise<Answer>,
    isKnown: (answer: Answer) => boolean,
  ): Promise<Proved<Answer>> {
    const key = `${appId} ${hash("sha256", JSON.stringify(question), "base64url")}`
    const known = answers.peek(key)
    if (known !== undefined) return known
    if (asking.has(appId)) {
      throw new ApiError("too-many-requests", "Another question about the app's policies is being decided.", {
        headers: { "retry-after": "2" },
      })
    }
    asking.add(appId)
    try {
      await task.reserveAtMost(threads.bytes)
      const answer: Proved<Answer> = { ...(await ask()), fromMs: nowMs }
      // More time may decide the others.
      return isKnown(answer) ? ((await answers.get(key, async () => answer)) ?? answer) : answer
    } finally {
      asking.delete(appId)
    }
  }

  return {
    access: (appId, question, task) =>
      decide(
        accesses,
        appId,
        question,
        task,
        async () => ({ access: await threads.access(question, ACCESS_LIMITS, task.signal) }),
        ({ access }) => access.known,
      ),
    change: (appId, question, task) =>
      decide(
        changes,
        appId,
        question,
        task,
        () => threads.change(question, CHANGE_LIMITS, task.signal),
        ({ permitted, refused, warnings }) =>
          permitted.known && refused.known && warnings.every(({ kind }) => kind !== "unknown"),
      ),
  }
}
