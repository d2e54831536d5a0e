import { errorCodeOf } from "@sealway/kernel"
import { CommandFailure, CredentialsFailure, UnavailableFailure, UsageFailure } from "../terminal/failures.ts"

const NO_CREDENTIALS = new Set(["CredentialsProviderError", "TokenProviderError"])
const REFUSED = new Set([
  "AccessDeniedException",
  "ExpiredTokenException",
  "InvalidClientTokenId",
  "InvalidSignatureException",
  "MissingAuthenticationTokenException",
  "UnrecognizedClientException",
])
const MISSING = new Set(["ResourceNotFoundException", "NotFoundException"])
const UNREACHABLE = new Set(["TimeoutError", "ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN"])

/** Translates the failure of an AWS call for the caller; returns any other error unchanged. */
export function awsFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CommandFailure) return error
  const names = [error.name, errorCodeOf(error)]
  const isAny = (set: ReadonlySet<string>) => names.some((name) => set.has(name))
  if (isAny(NO_CREDENTIALS)) {
    return new CredentialsFailure("No AWS credentials found. Set AWS_PROFILE, or sign in to AWS first.")
  }
  if (isAny(REFUSED)) {
    return new CredentialsFailure(
      `AWS refused these credentials (${error.name}). They must be able to read and write the stage's tables, call its function AuditWriter, and use its KMS key.`,
    )
  }
  if (isAny(MISSING)) {
    return new UsageFailure(
      "The stage's tables, function AuditWriter or KMS key do not exist. Check the region, and that the stage is deployed.",
      { cause: error },
    )
  }
  if (isAny(UNREACHABLE)) return new UnavailableFailure("AWS cannot be reached.", { cause: error })
  return error
}
