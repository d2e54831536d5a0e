import type { Platform } from "@sealway/http"

/** The dependencies of management's endpoints. */
export type ManagementDependencies = Pick<
  Platform,
  | "configTable"
  | "keysTable"
  | "eventsTable"
  | "directory"
  | "keyring"
  | "audit"
  | "apiKeyUses"
  | "draws"
  | "wallClock"
>
