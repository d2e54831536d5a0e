import type { ElementsDependencies } from "@sealway/elements"
import type { Platform } from "@sealway/http"

export function createDependencies({ directory, keyring }: Platform): ElementsDependencies {
  return { directory, keyring }
}
