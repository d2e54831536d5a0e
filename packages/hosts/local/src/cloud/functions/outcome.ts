import type { Invocation } from "@sealway/ports"
import * as z from "zod"

/** The outcome of an invocation of an instance. */
export interface Outcome {
  readonly invocation: Invocation
  /** True when the instance may be invoked again. */
  readonly usable: boolean
  /** What went wrong, for the function's log; null for nothing, and when the instance has printed it. */
  readonly report: string | null
}

export function answered(answer: Buffer): Outcome {
  return { invocation: { kind: "answered", answer }, usable: true, report: null }
}

const errorSchema = z.object({ errorType: z.string() }).catch({ errorType: "" })
/** The errors of runners that say more than that the call failed. */
const KINDS: ReadonlyMap<string, "not-initialised" | "answer-too-large"> = new Map([
  ["Runtime.ImportModuleError", "not-initialised"],
  ["Runtime.UserCodeSyntaxError", "not-initialised"],
  ["Runtime.HandlerNotFound", "not-initialised"],
  ["Function.ResponseSizeTooLarge", "answer-too-large"],
])

/** @param error JSON from an instance, which has printed it too */
export function failed(error: Buffer, usable: boolean): Outcome {
  const { errorType } = errorSchema.parse(parseJson(error))
  return { invocation: { kind: KINDS.get(errorType) ?? "exited" }, usable, report: null }
}

function parseJson(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString())
  } catch {
    return null
  }
}

export function timedOut(requestId: string, timeoutMs: number): Outcome {
  const seconds = (timeoutMs / 1_000).toFixed(2)
  return ended({ kind: "timed-out", isStopped: true }, requestId, `Task timed out after ${seconds} seconds`)
}

export function outOfMemory(requestId: string): Outcome {
  return ended({ kind: "out-of-memory" }, requestId, "Runtime exited with error: signal: killed")
}

export function invalidResponse(requestId: string): Outcome {
  return ended({ kind: "exited" }, requestId, "Invalid response")
}

/** Lambda's names for them. */
const SIGNAL_NAMES: ReadonlyMap<string, string> = new Map([
  ["SIGABRT", "aborted"],
  ["SIGSEGV", "segmentation fault"],
  ["SIGTERM", "terminated"],
])

export function exited(requestId: string, code: number | null, signal: NodeJS.Signals | null): Outcome {
  // Only the kernel, when it is short of memory, kills an instance that we did not kill.
  if (signal === "SIGKILL") return outOfMemory(requestId)
  return ended({ kind: "exited" }, requestId, describeExit(code, signal))
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  if (code === 0) return "Runtime exited without providing a reason"
  if (code === null && signal === null) return "Runtime failed to start"
  const how = signal === null ? `exit status ${code}` : `signal: ${SIGNAL_NAMES.get(signal) ?? signal}`
  return `Runtime exited with error: ${how}`
}

/** @param what for the log, in the words of Lambda */
function ended(invocation: Invocation, requestId: string, what: string): Outcome {
  return { invocation, usable: false, report: `RequestId: ${requestId} Error: ${what}` }
}
