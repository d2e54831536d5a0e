import type { ElementsDependencies } from "@sealway/elements"
import type { Platform } from "@sealway/platform"

export function createDependencies({ directory, keyring }: Platform): ElementsDependencies {
  return { directory, keyring }
}
