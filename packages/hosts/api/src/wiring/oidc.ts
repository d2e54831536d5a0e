import type { Platform } from "@sealway/http"
import { createOidcDependencies, type OidcDependencies } from "@sealway/members"

export function createDependencies(platform: Platform): OidcDependencies {
  return createOidcDependencies(platform)
}
