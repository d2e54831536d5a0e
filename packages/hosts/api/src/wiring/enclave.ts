import { createEnclaveDependencies, type EnclaveDependencies } from "@sealway/enclave"
import type { Platform } from "@sealway/http"
import { createDataRoles, type DataRoles } from "@sealway/policies"

/** @param dataRoles default: new ones */
export function createDependencies(
  platform: Platform,
  dataRoles: DataRoles = createDataRoles(platform),
): EnclaveDependencies {
  return createEnclaveDependencies(platform, dataRoles)
}
