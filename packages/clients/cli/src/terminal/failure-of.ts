import { ApiError, InvalidIdError, SealwayError } from "@sealway/sdk/errors"
import { EXIT, type ExitCode } from "./exit-codes.ts"
import { CommandFailure, UnavailableFailure, UsageFailure } from "./failures.ts"

/** Returns what an error of the service means for the command; null for a defect, or a failure of the machine. */
export function failureOf(error: unknown): CommandFailure | null {
  if (error instanceof CommandFailure) return error
  if (error instanceof ApiError) {
    const details = error.fields.map(({ pointer, reason }) => `${pointer || "/"}: ${reason}`)
    return new CommandFailure(error.code, error.message, exitCodeOf(error), { details, cause: error })
  }
  if (error instanceof InvalidIdError) {
    return new CommandFailure("not-found", "Nothing has that name.", EXIT.notFound, { cause: error })
  }
  return error instanceof SealwayError ? new UnavailableFailure(error.message, { cause: error }) : null
}

/** Adds a line that says how to go on after a failure that is not the command line's. */
export function withHint(error: unknown, hint: string): unknown {
  const failure = failureOf(error)
  if (failure === null || failure instanceof UsageFailure) return error
  const { code, message, exitCode, details } = failure
  return new CommandFailure(code, message, exitCode, { details: [...details, hint], cause: error })
}

/** True when another attempt may succeed later: the service is busy or failing, or there was no answer. */
export function isUnavailable(error: unknown): boolean {
  return failureOf(error)?.exitCode === EXIT.unavailable
}

function exitCodeOf({ status, code }: ApiError): ExitCode {
  // The key and the request are valid: a policy refuses.
  if (code.startsWith("decrypt/")) return EXIT.failed
  if (status === 401 || status === 403) return EXIT.credentials
  if (status === 404) return EXIT.notFound
  return status >= 500 || status === 429 ? EXIT.unavailable : EXIT.failed
}
