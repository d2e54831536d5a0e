import type { App } from "@sealway/accounts"
import type { ApiError } from "@sealway/kernel"
import type { AuditAuthor, AuditLog } from "@sealway/records"
import { DecryptionForbiddenError } from "../documents/decryption-forbidden-error.ts"

const MAX_POLICIES = 10
const MAX_MARKS = 20

/** Records that a caller was refused plaintext. @param details what else is known about the request */
export function auditRefusal(
  audit: AuditLog,
  app: App,
  author: AuditAuthor,
  error: ApiError,
  details: Readonly<Record<string, string>>,
): Promise<void> {
  return audit.record({
    ...author,
    teamId: app.teamId,
    appId: app.id,
    action: "decryption.refused",
    target: { type: "app", id: app.id },
    details: { ...details, ...refusalDetails(error) },
  })
}

function refusalDetails(error: ApiError) {
  if (!(error instanceof DecryptionForbiddenError)) return { code: error.code }
  const { code, role, reason, policyIds, honeyMarks } = error
  return {
    code,
    role,
    reason,
    policies: policyIds.slice(0, MAX_POLICIES).join(" "),
    ...(honeyMarks.length > 0 && {
      honeyTokens: honeyMarks.length,
      honeyMarks: honeyMarks.slice(0, MAX_MARKS).join(" "),
    }),
  }
}
