import { createOidcDependencies, type OidcDependencies } from "@sealway/members"
import type { Platform } from "@sealway/platform"

export function createDependencies(platform: Platform): OidcDependencies {
  return createOidcDependencies(platform)
}
