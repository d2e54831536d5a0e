import type { Objects } from "@sealway/ports"
import type { Language } from "./language.ts"

/** Stores the zips of customers' source for as long as they are deployed. */
export type CodeStore = Pick<Objects, "put" | "get" | "remove">

/** The program that a deployment becomes. Created once and never changed. */
export interface NewProgram {
  readonly name: string
  readonly language: Language
  /** See `writeDeploymentZip`. */
  readonly zip: Uint8Array
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
  /** `answer`: JSON from the wrapper. */
  | { readonly kind: "answered"; readonly answer: Buffer }
  /** `isStopped` is false when nobody waits for it any more, but it may continue until its own time limit. */
  | { readonly kind: "timed-out"; readonly isStopped: boolean }
  | { readonly kind: "out-of-memory" }
  /** Its process ended before it answered. */
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

/** Runs customers' code, with each deployment isolated from all others and from us. */
export interface FunctionHost {
  /**
   * Creates a program and its log group. Safe to run twice.
   *
   * @throws RefusedProgramError when it can never be created
   */
  create(program: NewProgram): Promise<void>
  stateOf(name: string): Promise<ProgramState>
  /**
   * Calls a program once, without retries.
   *
   * @param limitMs how long to wait for its answer, whatever its own time limit is
   * @param signal ends the wait earlier: the program is `timed-out`, and goes on. Default: none
   */
  invoke(name: string, event: Uint8Array, limitMs: number, signal?: AbortSignal): Promise<Invocation>
  /** Removes a program and its logs. Does nothing when there is none with this name. */
  remove(name: string): Promise<void>
  /**
   * Returns a program's output, oldest first.
   *
   * @param since epoch milliseconds
   * @param after `next` of the previous page
   */
  logs(name: string, since: number, limit: number, after: string | null): Promise<LogPage>
}

/** Thrown when the host cannot create a program from this. */
export class RefusedProgramError extends Error {
  override readonly name = "RefusedProgramError"
  /** A code from the host. */
  readonly reason: string
  constructor(reason: string, options?: ErrorOptions) {
    super("The host refused the program", options)
    this.reason = reason
  }
}
