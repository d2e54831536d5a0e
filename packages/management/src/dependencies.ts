import type { Platform } from "@sealway/platform"

/** What the endpoints of management need. */
export type ManagementDependencies = Pick<
  Platform,
  "configTable" | "directory" | "keyring" | "audit" | "apiKeyUses" | "draws" | "wallClock"
>
