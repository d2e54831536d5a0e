import type { Platform } from "@sealway/http"
import {
  createDataRoles,
  createPolicyDependencies,
  type DataRoles,
  type PolicyDependencies,
} from "@sealway/policies"

/** @param dataRoles default: new ones */
export function createDependencies(
  platform: Platform,
  dataRoles: DataRoles = createDataRoles(platform),
): PolicyDependencies {
  return createPolicyDependencies(platform, dataRoles)
}
