import type { FormatDependencies } from "@sealway/formats"
import type { Platform } from "@sealway/http"
import { createDataRoles, type DataRoles } from "@sealway/policies"

/** @param dataRoles default: new ones */
export function createDependencies(
  platform: Platform,
  dataRoles: DataRoles = createDataRoles(platform),
): FormatDependencies {
  return { ...platform, dataRoles }
}
