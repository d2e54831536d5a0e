/** The outcome of an invocation: the body of Lambda's answer, and whether it is an error (`X-Amz-Function-Error`). */
export interface Outcome {
  /** JSON. */
  readonly payload: Buffer
  readonly failed: boolean
  /** True when the instance may be invoked again. */
  readonly usable: boolean
  /** Whether the instance has printed what went wrong, if anything did. */
  readonly isPrinted: boolean
  /** Call it when a large payload has been passed on; see `LargeResults`. */
  readonly release?: (() => void) | undefined
}

/** Builds the error that Lambda returns for functions that end without an answer. */
export function failure(errorType: string, errorMessage: string): Outcome {
  const payload = Buffer.from(JSON.stringify({ errorType, errorMessage }))
  return { payload, failed: true, usable: false, isPrinted: false }
}

export function timedOut(requestId: string, timeoutMs: number): Outcome {
  const seconds = (timeoutMs / 1_000).toFixed(2)
  return failure("Sandbox.Timedout", `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`)
}

export function outOfMemory(requestId: string): Outcome {
  return failure(
    "Runtime.OutOfMemory",
    `RequestId: ${requestId} Error: Runtime exited with error: signal: killed`,
  )
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
  if (code === null && signal === null) {
    return failure("Runtime.ExitError", `RequestId: ${requestId} Error: Runtime failed to start`)
  }
  const how = signal === null ? `exit status ${code}` : `signal: ${SIGNAL_NAMES.get(signal) ?? signal}`
  const message =
    code === 0 ? "Runtime exited without providing a reason" : `Runtime exited with error: ${how}`
  return failure("Runtime.ExitError", `RequestId: ${requestId} Error: ${message}`)
}
