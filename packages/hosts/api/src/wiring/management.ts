import type { Platform } from "@sealway/http"
import type { ManagementDependencies } from "@sealway/management"

export function createDependencies(platform: Platform): ManagementDependencies {
  return platform
}
