import type { MemberDependencies } from "@sealway/members"
import type { Platform } from "@sealway/platform"

export function createDependencies(platform: Platform): MemberDependencies {
  return platform
}
