import type { Platform } from "@sealway/platform"
import type { SubjectDependencies } from "@sealway/subjects"

export function createDependencies(platform: Platform): SubjectDependencies {
  return platform
}
