import { finish, type Work } from "@sealway/kernel"
import * as z from "zod"
import type { Invocation } from "../host/host.ts"
import { readMembersInSteps } from "./json-members.ts"

/** How a run ended, as far as its function is concerned. */
export type Outcome =
  /** `result`: JSON, as the function gave it. */
  | { readonly status: "success"; readonly result: Buffer }
  | { readonly status: "failure"; readonly error: RunError }

/** What went wrong in a customer's code, for its owner. */
export interface RunError {
  readonly message: string
  /** Empty where there is none. */
  readonly stack: string
}

const MAX_MESSAGE_CHARACTERS = 4_096
const MAX_STACK_CHARACTERS = 16_384

const failureSchema = z.object({ message: z.string(), stack: z.string() })

/** Client suites compare this text. */
const NOT_INITIALISED =
  "The function failed to initialize. This error is commonly encountered when there are problems with the function code (e.g. a syntax error) or when a required import is missing."
/** What the wrapper puts in front of the reason. */
const REASON_PREFIX = "The function failed to initialise: "

/** The outcome of what an invocation brought about; null where the function has not been called, or not to its end. */
export function outcomeOf(invocation: Invocation, memoryMb: number): Outcome | null {
  return finish(outcomeInSteps(invocation, memoryMb))
}

/** `outcomeOf`, in steps. */
export function* outcomeInSteps(invocation: Invocation, memoryMb: number): Work<Outcome | null> {
  switch (invocation.kind) {
    case "answered":
      return yield* readAnswer(invocation.answer)
    case "out-of-memory":
      return failure(`The function ran out of memory: it has ${memoryMb} MB.`)
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

/** An outcome as it is kept, and as it is shown: `{"status", "result"}` or `{"status", "error"}`. */
export function outcomeMembers(outcome: Outcome): Buffer {
  return outcome.status === "success"
    ? Buffer.concat([Buffer.from('"status":"success","result":'), outcome.result])
    : Buffer.from(`"status":"failure","error":${JSON.stringify(outcome.error)}`)
}

/** Of what `outcomeMembers` has written. */
export function statusOfMembers(members: Buffer): Outcome["status"] {
  return members.subarray(0, 20).includes('"success"') ? "success" : "failure"
}

/** An outcome that can be kept: a result of more bytes is a failure. */
export function keepable(outcome: Outcome, maxBytes: number): Outcome {
  if (outcomeMembers(outcome).length <= maxBytes) return outcome
  return failure(`The result is larger than the ${maxBytes / 1024} KB that are kept of an asynchronous run.`)
}

/** Reads the wrapper's answer, and leaves the result as it is written. */
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
  return failure("The function's answer cannot be read.")
}

/** The reason is part of most stacks already. */
function initialisationFailure(message: string, stack: string): Outcome {
  const reason = message.startsWith(REASON_PREFIX) ? message.slice(REASON_PREFIX.length) : message
  return failure(NOT_INITIALISED, stack.includes(reason) ? stack : `${reason}\n${stack}`.trimEnd())
}

function cut(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text
}
