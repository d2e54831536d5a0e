import type { Platform } from "@sealway/http"
import type { SubjectDependencies } from "@sealway/subjects"

export function createDependencies(platform: Platform): SubjectDependencies {
  return platform
}
