import type { Platform } from "@sealway/http"
import type { WebhookDependencies } from "@sealway/webhooks"

export function createDependencies(platform: Platform): WebhookDependencies {
  return platform
}
