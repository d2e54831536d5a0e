import type { ApiError } from "@sealway/kernel"
import {
  type AppPrincipal,
  AUDIT_GRANTS,
  authorOf,
  type ForbiddenRequest,
  type Grant,
  OPENING_GRANTS,
} from "@sealway/platform"
import { DECISION_GRANTS } from "@sealway/policies"
import { auditRefusal } from "@sealway/vault"
import type { PaymentDependencies } from "../dependencies.ts"

/** The AWS permissions for opening card data and recording that. */
export const CARD_DATA_GRANTS = [
  ...OPENING_GRANTS,
  ...DECISION_GRANTS,
  ...AUDIT_GRANTS,
] as const satisfies readonly Grant[]

/** Records that a caller was refused card data. */
export async function reportForbidden(
  { principal: { app }, caller, endpointId }: ForbiddenRequest<AppPrincipal>,
  error: ApiError,
  { audit }: Pick<PaymentDependencies, "audit">,
): Promise<void> {
  await auditRefusal(audit, app, authorOf(caller), error, { endpoint: endpointId })
}
