import type { Language } from "./language.ts"

/** What a deployment becomes: one program of its own, made once and never changed. */
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
  /** There is none of this name. */
  | "absent"
  /** It will never be active. `reason`: a code of the host's. */
  | { readonly failed: string }

/** What came of calling a program. */
export type Invocation =
  /** `answer`: JSON, as the wrapper gives it. */
  | { readonly kind: "answered"; readonly answer: Buffer }
  /** `isStopped` false: nobody waits for it any more, and it may go on until its own time limit. */
  | { readonly kind: "timed-out"; readonly isStopped: boolean }
  | { readonly kind: "out-of-memory" }
  /** Its process ended before it answered. */
  | { readonly kind: "exited" }
  /** It did not come as far as to be called. */
  | { readonly kind: "not-initialised" }
  | { readonly kind: "answer-too-large" }
  | { readonly kind: "payload-too-large" }
  /** Not yet, or for now not any more. */
  | { readonly kind: "not-ready" }
  /** Too many of them run. */
  | { readonly kind: "busy" }
  /** The host cannot keep it away from other programs and files, and so has not called it. */
  | { readonly kind: "no-sandbox" }
  | { readonly kind: "absent" }

export interface LogLine {
  /** Epoch milliseconds. */
  readonly at: number
  readonly message: string
}

export interface LogPage {
  readonly lines: readonly LogLine[]
  /** Where the next page begins; null when there is none. */
  readonly next: string | null
}

/** Runs customers' code, each deployment apart from all others and from us. */
export interface FunctionHost {
  /** Makes a program, with the place of its logs. Safe to do twice. @throws RefusedProgramError when it never will */
  create(program: NewProgram): Promise<void>
  stateOf(name: string): Promise<ProgramState>
  /**
   * Calls a program once, and never twice.
   *
   * @param limitMs how long to wait for its answer, whatever its own time limit is
   */
  invoke(name: string, event: Uint8Array, limitMs: number): Promise<Invocation>
  /** Removes a program and its logs; nothing when there is none of this name. */
  remove(name: string): Promise<void>
  /** What a program has printed, oldest first. @param since epoch milliseconds @param after `next` of the page before */
  logs(name: string, since: number, limit: number, after: string | null): Promise<LogPage>
}

/** The host says that a program cannot be made of this. */
export class RefusedProgramError extends Error {
  override readonly name = "RefusedProgramError"
  /** A code of the host's. */
  readonly reason: string
  constructor(reason: string, options?: ErrorOptions) {
    super("The host refuses the program", options)
    this.reason = reason
  }
}
