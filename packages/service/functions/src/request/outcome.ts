import { finish, readMembersInSteps, type Work } from "@sealway/kernel"
import type { Invocation } from "@sealway/ports"
import * as z from "zod"

/** The outcome of a run from the function's point of view. */
export type Outcome =
  /** `result`: JSON from the function. */
  | { readonly status: "success"; readonly result: Buffer }
  | { readonly status: "failure"; readonly error: RunError }

/** What went wrong in a customer's code, for its owner. */
export interface RunError {
  readonly message: string
  /** Empty when there is none. */
  readonly stack: string
}

const MAX_MESSAGE_CHARACTERS = 4_096
const MAX_STACK_CHARACTERS = 16_384

const failureSchema = z.object({ message: z.string(), stack: z.string() })

/** Clients' test suites compare this text. */
const NOT_INITIALISED =
  "The function failed to initialize. This error is commonly encountered when there are problems with the function code (e.g. a syntax error) or when a required import is missing."
/** The prefix that the wrapper puts before the reason. */
const REASON_PREFIX = "The function failed to initialise: "

/** Converts an invocation to its outcome; null when the function was not called, or did not finish. */
export function outcomeOf(invocation: Invocation, memoryMb: number): Outcome | null {
  return finish(outcomeInSteps(invocation, memoryMb))
}

/** `outcomeOf`, in steps. */
export function* outcomeInSteps(invocation: Invocation, memoryMb: number): Work<Outcome | null> {
  switch (invocation.kind) {
    case "answered":
      return yield* readAnswer(invocation.answer)
    case "out-of-memory":
      return failure(`The function ran out of memory: its limit is ${memoryMb} MB.`)
    case "exited":
      return failure("The function's process ended before it answered.")
    case "not-initialised":
      return failure(NOT_INITIALISED, "Its process could not be started.")
    case "answer-too-large":
      return failure("The result is larger than 6 MB.")
    default:
      return null
  }
}

export function failure(message: string, stack = ""): Outcome {
  return {
    status: "failure",
    error: { message: cut(message, MAX_MESSAGE_CHARACTERS), stack: cut(stack, MAX_STACK_CHARACTERS) },
  }
}

/** Writes an outcome as it is stored and shown: `{"status", "result"}` or `{"status", "error"}`. */
export function outcomeMembers(outcome: Outcome): Buffer {
  return outcome.status === "success"
    ? Buffer.concat([Buffer.from('"status":"success","result":'), outcome.result])
    : Buffer.from(`"status":"failure","error":${JSON.stringify(outcome.error)}`)
}

/** Reads the status of what `outcomeMembers` wrote. */
export function statusOfMembers(members: Buffer): Outcome["status"] {
  return members.subarray(0, 20).includes('"success"') ? "success" : "failure"
}

/** Limits an outcome to what can be stored: a larger result becomes a failure. */
export function keepable(outcome: Outcome, maxBytes: number): Outcome {
  if (outcomeMembers(outcome).length <= maxBytes) return outcome
  return failure(`The result is larger than ${maxBytes / 1024} KB, the limit for an asynchronous run.`)
}

/** Parses the wrapper's answer, keeping the result byte for byte. */
function* readAnswer(answer: Buffer): Work<Outcome> {
  try {
    const members = yield* readMembersInSteps(answer)
    const textOf = (name: string) => {
      const { start, end } = members?.get(name) ?? { start: 0, end: 0 }
      return answer.subarray(start, end)
    }
    const status: unknown = JSON.parse(textOf("status").toString())
    const result = textOf("result")
    if (status === "success" && result.length > 0) return { status, result }
    const { message, stack } = failureSchema.parse(JSON.parse(textOf("error").toString()))
    const isInitialisation = textOf("initialisation").toString() === "true"
    if (status === "failure")
      return isInitialisation ? initialisationFailure(message, stack) : failure(message, stack)
  } catch {
    // Whatever it is, the wrapper did not write it.
  }
  return failure("The function's result is not readable.")
}

/** Most stacks already start with the reason. */
function initialisationFailure(message: string, stack: string): Outcome {
  const reason = message.startsWith(REASON_PREFIX) ? message.slice(REASON_PREFIX.length) : message
  return failure(NOT_INITIALISED, stack.includes(reason) ? stack : `${reason}\n${stack}`.trimEnd())
}

function cut(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text
}
