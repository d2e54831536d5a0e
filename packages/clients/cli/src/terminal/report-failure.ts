import { ApiError } from "@sealway/sdk/errors"
import { EXIT, type ExitCode } from "./exit-codes.ts"
import { failureOf } from "./failure-of.ts"
import { CommandFailure } from "./failures.ts"
import { formatJson } from "./format.ts"
import type { CliHost } from "./host.ts"
import { terminalJson, terminalText } from "./terminal-text.ts"

/** Reports a failure on standard error, in text or as JSON, and returns the exit status. */
export function reportFailure({ stderr }: CliHost, error: unknown, asJson: boolean): ExitCode {
  // Clears a progress line first.
  if (stderr.isTTY === true) stderr.write("\r\u001b[K")
  const failure = failureOf(error) ?? unexpected(error)
  if (asJson) {
    const problem = error instanceof ApiError ? refusalOf(error) : problemOf(failure)
    stderr.write(`${terminalJson(formatJson(problem))}\n`)
  } else {
    stderr.write(`sealway: ${terminalText(failure.message)}\n`)
    for (const line of failure.details) stderr.write(`  ${terminalText(line)}\n`)
  }
  return failure.exitCode
}

function refusalOf({ code, message, status, fields, requestId }: ApiError) {
  return { code, detail: message, status, ...(fields.length > 0 && { fields }), requestId }
}

function problemOf({ code, message, details }: CommandFailure) {
  return { code, detail: message, ...(details.length > 0 && { details }) }
}

/** A defect of ours, or of the machine: its place helps, and reveals nothing that was sent. */
function unexpected(error: unknown): CommandFailure {
  const message = error instanceof Error ? error.message : String(error)
  const [, place = ""] = /\n\s+at (.{1,200})/.exec(error instanceof Error ? (error.stack ?? "") : "") ?? []
  return new CommandFailure("unexpected", `Unexpected error: ${message} (${place})`, EXIT.failed, {
    cause: error,
  })
}
