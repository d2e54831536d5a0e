import { errorCodeOf } from "@sealway/kernel"
import { UnavailableFailure } from "../terminal/failures.ts"
import type { ServiceUrl } from "./service-address.ts"

/** A kept-alive connection that the other side has closed meanwhile: a new one may work. */
const STALE_CODES = new Set(["ECONNRESET", "EPIPE"])

export function isWorthRetrying(error: unknown): boolean {
  return STALE_CODES.has(errorCodeOf(error))
}

/** Says in a sentence why there was no answer. */
export function unreachable(url: ServiceUrl, error: unknown, timeoutMs: number): UnavailableFailure {
  return new UnavailableFailure(reasonOf(url, error, timeoutMs), { cause: error })
}

function reasonOf(url: ServiceUrl, error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === "TimeoutError") {
    return `${url} did not respond within ${timeoutMs / 1000} s.`
  }
  const code = errorCodeOf(error)
  if (code === "ECONNREFUSED") return `${url} refused the connection. Is the service running?`
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `The host of ${url} was not found.`
  if (/CERT|TLS|SSL|SELF_SIGNED|ISSUER/.test(code)) {
    return `The certificate of ${url} is not trusted (${code}).`
  }
  return `${url} cannot be reached${code === "" ? "" : ` (${code})`}.`
}
