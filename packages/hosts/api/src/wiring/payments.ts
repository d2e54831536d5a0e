import type { Platform } from "@sealway/http"
import { createPaymentDependencies, type PaymentDependencies } from "@sealway/payments"
import { createDataRoles, type DataRoles } from "@sealway/policies"

/**
 * @param dataRoles default: new ones
 * @throws Error when the configuration names no payments table
 */
export function createDependencies(
  platform: Platform,
  dataRoles: DataRoles = createDataRoles(platform),
): PaymentDependencies {
  const { paymentsTable } = platform
  if (paymentsTable === null) throw new Error("The configuration has no payments table")
  return createPaymentDependencies({ ...platform, paymentsTable }, { dataRoles })
}
