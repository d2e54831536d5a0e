import type { Platform } from "@sealway/platform"

/** What the endpoints of management need. */
export type ManagementDependencies = Pick<
  Platform,
  "configTable" | "eventsTable" | "directory" | "keyring" | "audit" | "apiKeyUses" | "draws" | "wallClock"
>
