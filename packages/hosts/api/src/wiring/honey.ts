import type { HoneyDependencies } from "@sealway/honey"
import type { Platform } from "@sealway/http"
import { createDataRoles, type DataRoles } from "@sealway/policies"

/** @param dataRoles default: new ones */
export function createDependencies(
  platform: Platform,
  dataRoles: DataRoles = createDataRoles(platform),
): HoneyDependencies {
  return { ...platform, dataRoles }
}
