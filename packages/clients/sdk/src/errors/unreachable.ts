import { ConnectionError } from "./errors.ts"

/**
 * Says that a server could not be reached, with the code of the runtime's error (`ECONNREFUSED`, `CERT_HAS_EXPIRED`). The
 * error itself is not kept: those of parsers contain what was received.
 *
 * @param server such as `The service`
 */
export function unreachable(server: string, error: unknown): ConnectionError {
  const reason = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : null)
  const message = `${server} could not be reached${reason === null ? "" : ` (${reason})`}.`
  return new ConnectionError("connection-failed", message, {}, reason)
}

function codeOf(error: unknown): string | null {
  if (typeof error !== "object" || error === null || !("code" in error)) return null
  return typeof error.code === "string" && /^[A-Z][A-Z0-9_]{0,79}$/.test(error.code) ? error.code : null
}
