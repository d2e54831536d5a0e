import type { ManagementDependencies } from "@sealway/management"
import type { Platform } from "@sealway/platform"

export function createDependencies(platform: Platform): ManagementDependencies {
  return platform
}
