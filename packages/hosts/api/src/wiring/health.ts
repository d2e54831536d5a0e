import type { HealthDependencies } from "../endpoints/health.ts"

export function createDependencies(): HealthDependencies {
  return { localFunctions: null }
}
