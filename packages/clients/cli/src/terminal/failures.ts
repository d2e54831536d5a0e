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
