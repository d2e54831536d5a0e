import { MB } from "@sealway/kernel"

/** The languages of programs. */
export const LANGUAGES = ["node@24", "node@22", "python@3.13", "python@3.12"] as const

export type Language = (typeof LANGUAGES)[number]

/** What Lambda calls them. */
export const LAMBDA_RUNTIMES = {
  "node@24": "nodejs24.x",
  "node@22": "nodejs22.x",
  "python@3.13": "python3.13",
  "python@3.12": "python3.12",
} as const satisfies Record<Language, string>

/** The program that a deployment becomes. Created once and never changed. */
export interface NewProgram {
  readonly name: string
  readonly language: Language
  /** The files of the program. */
  readonly zip: Uint8Array
  /** The module and the function in it that is called: `folder/module.function`. */
  readonly handler: string
  readonly timeoutSeconds: number
  readonly memoryMb: number
}

export type ProgramState =
  | "pending"
  | "active"
  /** No program has this name. */
  | "absent"
  /** It will never become active. `reason`: a code from the host. */
  | { readonly failed: string }

/** The outcome of calling a program. */
export type Invocation =
  /** `answer`: JSON, which the program returned. */
  | { readonly kind: "answered"; readonly answer: Buffer }
  /** `isStopped` is false when nobody waits for it any more, but it may continue until its own time limit. */
  | { readonly kind: "timed-out"; readonly isStopped: boolean }
  | { readonly kind: "out-of-memory" }
  /** Its process ended before it answered, or its function threw. */
  | { readonly kind: "exited" }
  /** It could not be initialised. */
  | { readonly kind: "not-initialised" }
  | { readonly kind: "answer-too-large" }
  | { readonly kind: "payload-too-large" }
  /** It is not ready yet, or not any more. */
  | { readonly kind: "not-ready" }
  /** Too many of them are running. */
  | { readonly kind: "busy" }
  /** The host cannot isolate it from other programs and files, so it was not called. */
  | { readonly kind: "no-sandbox" }
  | { readonly kind: "absent" }

export interface LogLine {
  /** Epoch milliseconds. */
  readonly at: number
  readonly message: string
}

export interface LogPage {
  readonly lines: readonly LogLine[]
  /** The cursor of the next page; null when there is none. */
  readonly next: string | null
}

/** The largest event of a call, and about the largest answer, in bytes. */
export const MAX_EVENT_BYTES = 6 * MB

/**
 * Runs customers' code, with each program isolated from all others and from us. A program that was created is durable, and
 * becomes active unless the host says why not. It runs in processes that are kept for further calls, one call at a time
 * in each; all of them end with its time limit, or when they use more memory than it may.
 *
 * All methods reject with an error that `isUnavailability` recognises when the host cannot be reached.
 */
export interface FunctionHost {
  /**
   * Creates a program and its log. Safe to run twice.
   *
   * @throws RefusedProgramError when it can never be created
   */
  create(program: NewProgram): Promise<void>
  stateOf(name: string): Promise<ProgramState>
  /**
   * Calls a program once, without retries. Only a call that is `timed-out`, and not stopped, may still run afterwards.
   *
   * @param event JSON
   * @param limitMs how long to wait for its answer, whatever its own time limit is
   * @param signal ends the wait earlier: the program is `timed-out`, and goes on. Default: none
   */
  invoke(name: string, event: Uint8Array, limitMs: number, signal?: AbortSignal): Promise<Invocation>
  /** Removes a program and its log; calls in progress may finish. Does nothing when there is none with this name. */
  remove(name: string): Promise<void>
  /**
   * Returns a program's output, oldest first; none for a program that does not exist.
   *
   * @param since epoch milliseconds
   * @param after `next` of the previous page
   * @returns null when `after` is no such cursor
   */
  logs(name: string, since: number, limit: number, after: string | null): Promise<LogPage | null>
}

/** Thrown when the host cannot create a program from this. */
export class RefusedProgramError extends Error {
  override readonly name = "RefusedProgramError"
  /** A code of AWS, or words: `its zip cannot be unpacked`. */
  readonly reason: string
  constructor(reason: string, options?: ErrorOptions) {
    super("The host refused the program", options)
    this.reason = reason
  }
}
