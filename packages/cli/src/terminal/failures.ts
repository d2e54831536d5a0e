import type { ProblemBody } from "@sealway/kernel"
import { EXIT, type ExitCode } from "./exit-codes.ts"

export interface FailureOptions extends ErrorOptions {
  readonly details?: readonly string[]
}

/** A failure that ends the command. Its message is a sentence for people and never contains a key or a value. */
export class CommandFailure extends Error {
  override readonly name: string = "CommandFailure"
  readonly exitCode: ExitCode
  /** Its code in `--json`. */
  readonly code: string

  /** Further details, one per line. */
  readonly details: readonly string[]

  constructor(
    code: string,
    message: string,
    exitCode: ExitCode = EXIT.failed,
    { details = [], ...options }: FailureOptions = {},
  ) {
    super(message, options)
    this.code = code
    this.exitCode = exitCode
    this.details = details
  }
}

/** The command line, or what it refers to, is invalid. */
export class UsageFailure extends CommandFailure {
  override readonly name = "UsageFailure"
  constructor(message: string, options?: FailureOptions) {
    super("usage", message, EXIT.usage, options)
  }
}

/** There is no key for what the command does. */
export class CredentialsFailure extends CommandFailure {
  override readonly name = "CredentialsFailure"
  constructor(message: string) {
    super("credentials", message, EXIT.credentials)
  }
}

/** The service did not answer, or its answer was unusable. */
export class UnavailableFailure extends CommandFailure {
  override readonly name = "UnavailableFailure"
  constructor(message: string, options?: ErrorOptions) {
    super("unavailable", message, EXIT.unavailable, options)
  }
}

/** The content of the service's refusal; `ProblemBody`, of any release of the service. */
export type Problem = Omit<ProblemBody, "code"> & { readonly code: string }

/** The service refused. */
export class ServiceRefusal extends CommandFailure {
  override readonly name = "ServiceRefusal"
  readonly problem: Problem
  /** How long the service asks to wait; null when it does not say. */
  readonly retryAfterMs: number | null

  constructor(problem: Problem, retryAfterMs: number | null = null) {
    const details = problem.fields?.map(({ pointer, reason }) => `${pointer || "/"}: ${reason}`) ?? []
    super(problem.code, problem.detail, exitCodeOf(problem), { details })
    this.problem = problem
    this.retryAfterMs = retryAfterMs
  }
}

function exitCodeOf({ status, code }: Problem): ExitCode {
  // The key and the request are valid: a policy refuses.
  if (code === "decrypt/forbidden") return EXIT.failed
  if (status === 401 || status === 403) return EXIT.credentials
  if (status === 404) return EXIT.notFound
  return status >= 500 || status === 429 ? EXIT.unavailable : EXIT.failed
}
