import type { AppPrincipal, ForbiddenRequest } from "@sealway/http"
import type { ApiError } from "@sealway/kernel"
import { type AuditLog, authorOf } from "@sealway/records"
import { auditRefusal } from "../audit/audit-refusal.ts"
import { DecryptionForbiddenError } from "../documents/decryption-forbidden-error.ts"

/** Records that a caller of an endpoint was refused plaintext. */
export async function reportRefusal(
  { principal: { app }, caller, endpointId }: ForbiddenRequest<AppPrincipal>,
  error: ApiError,
  { audit }: { readonly audit: AuditLog },
): Promise<void> {
  await auditRefusal(audit, app, authorOf(caller), error, { endpoint: endpointId })
}

/** The same for endpoints that return no plaintext: their other refusals are not recorded. */
export async function reportForbiddenValue(
  request: ForbiddenRequest<AppPrincipal>,
  error: ApiError,
  dependencies: { readonly audit: AuditLog },
): Promise<void> {
  if (error instanceof DecryptionForbiddenError) await reportRefusal(request, error, dependencies)
}
