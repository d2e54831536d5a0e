import type { Platform } from "@sealway/http"
import { createDataRoles, type DataRoles } from "@sealway/policies"
import type { VaultDependencies } from "@sealway/vault"

/** @param dataRoles default: new ones */
export function createDependencies(
  platform: Platform,
  dataRoles: DataRoles = createDataRoles(platform),
): VaultDependencies {
  return { ...platform, dataRoles }
}
