import type { Platform } from "@sealway/http"
import type { MemberDependencies } from "@sealway/members"

export function createDependencies(platform: Platform): MemberDependencies {
  return platform
}
