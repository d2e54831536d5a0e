import { errorCodeOf } from "@sealway/kernel"
import { TableUnavailableError } from "../tables/table.ts"

const TRANSIENT_ERRORS = new Set([
  "TimeoutError",
  "UnavailableError",
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "LimitExceededException",
  "KeyUnavailableException",
  "DependencyTimeoutException",
  "KMSInternalException",
  "InternalServerError",
])
const TRANSIENT_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
])

/** True when a retry may help: AWS throttles, fails or is unreachable, or the time is up. */
export function isUnavailability(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    error instanceof TableUnavailableError ||
    TRANSIENT_ERRORS.has(error.name) ||
    TRANSIENT_CODES.has(errorCodeOf(error)) ||
    isTransientStatus(error)
  )
}

/** S3 has other names than DynamoDB and KMS for the same, and a proxy before them has none. */
function isTransientStatus({
  $metadata: { httpStatusCode: status = 0 } = {},
}: Error & { readonly $metadata?: { readonly httpStatusCode?: number } }): boolean {
  return status === 429 || status >= 500
}
